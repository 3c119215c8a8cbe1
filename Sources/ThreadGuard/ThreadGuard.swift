/// Checks threading rules during development. If a rule is broken, ThreadGuard reports it, with the expected and the
/// actual queue, and the program continues.
///
/// The checks work in debug builds. In a release build they compile to nothing and their arguments are not evaluated.
/// You may call all functions from any thread.
public enum ThreadGuard {}

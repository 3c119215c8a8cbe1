/// Checks threading rules while a program is being developed: where a rule is broken it says so, with the queue that was
/// expected and the one that was found, and the program goes on.
///
/// The checks work in debug builds. In a release build they compile to nothing and their arguments are not evaluated.
/// All functions may be called from any thread.
public enum ThreadGuard {}

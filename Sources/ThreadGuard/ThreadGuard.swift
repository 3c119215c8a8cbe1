/// Checks threading rules.
public enum ThreadGuard {}

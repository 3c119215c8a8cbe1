extension CrashKind {
  /// Every kind, in the order in which `--list` shows them.
  static let catalogue: [CrashKind] =
    memory + stack + swift + asynchronous + c + signals + hostile + unhandled + harmless
}

import CReportTerms

/// The parts of a program's stacks that belong to this package. The list `own_code.def` names these parts.
public enum OwnCode {
  /// The prefixes of linkage names of ThreadGuard's functions.
  public static let guardPrefixes = names(.guardPrefix)

  /// Whether a source file belongs to what this package links into a program.
  static func holds(_ path: String) -> Bool {
    let path = "/" + path
    return folders.contains(where: path.holds)
  }

  private static let folders = (names(.cFolder) + names(.swiftFolder)).map { "/\($0)/" }

  private static func names(_ kind: term_own) -> [String] {
    (0...).lazy.map { term_own_name(kind, $0) }.prefix { $0 != nil }.compactMap { $0.map { String(cString: $0) } }
  }
}

import CReportTerms

/// Finds the code of this package in a program's stacks. The list `own_code.def` has the names of this package's
/// functions and source folders.
public enum OwnCode {
  /// The prefixes with which the linkage names of ThreadGuard's functions begin.
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

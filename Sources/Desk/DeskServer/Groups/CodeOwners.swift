#if Desk
  import CrashReportModel
  import CrashReportReading

  /// Finds the owners of a file in a `CODEOWNERS` file, as GitHub and GitLab read it: the last matching line decides.
  public struct CodeOwners: Sendable {
    private struct Rule {
      var parts: [Substring]
      /// Whether it names a folder.
      var isFolder: Bool
      var owners: [String]
    }

    private var rules: [Rule] = []

    /// Makes empty rules: no file has an owner.
    public init() {}

    /// Reads a file.
    ///
    /// - Throws: `ReadingError`
    public init(path: String) throws(ReadingError) {
      self.init(text: String(decoding: try InputFile.read(path: path, limit: 1 << 20), as: UTF8.self))
    }

    init(text: String) {
      rules = text.split(separator: "\n").compactMap(Self.rule)
    }

    private static func rule(_ line: Substring) -> Rule? {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      // GitLab's sections are in brackets.
      guard let pattern = words.first, !pattern.hasPrefix("["), !pattern.hasPrefix("^[") else { return nil }
      let parts = pattern.split(separator: "/")
      return Rule(
        parts: parts, isFolder: pattern.hasSuffix("/"),
        owners: words.dropFirst().map { String($0).harmless(upTo: 100) })
    }

    /// The owners of a source file; empty if there are none. Where the repository lies on the machine that built the
    /// program is not known: it may be any folder of the path.
    func owners(of path: String) -> [String] {
      let parts = path.split(separator: "/")
      guard !parts.isEmpty else { return [] }
      return rules.last { matches($0, parts[...]) }?.owners ?? []
    }

    private func matches(_ rule: Rule, _ path: ArraySlice<Substring>) -> Bool {
      guard !rule.parts.isEmpty else { return true }
      return path.indices.contains { start in
        Self.matches(rule.parts[...], path[start...], isFolder: rule.isFolder)
      }
    }

    /// A pattern without its folder's files matches them too: `docs` is all below it.
    private static func matches(
      _ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>, isFolder: Bool
    ) -> Bool {
      guard let first = pattern.first else { return !isFolder || !path.isEmpty }
      if first == "**" {
        return path.indices.contains { matches(pattern.dropFirst(), path[$0...], isFolder: isFolder) }
          || matches(pattern.dropFirst(), [], isFolder: isFolder)
      }
      guard let name = path.first, matches(first[...], name[...]) else { return false }
      // `*` of the last part is files of this folder, and no folder.
      if pattern.count == 1, first.contains("*"), path.count > 1, !isFolder { return false }
      return matches(pattern.dropFirst(), path.dropFirst(), isFolder: isFolder)
    }

    private static func matches(_ pattern: Substring, _ name: Substring) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      if first == "*" {
        return matches(pattern.dropFirst(), name) || (!name.isEmpty && matches(pattern, name.dropFirst()))
      }
      guard let letter = name.first, first == "?" || first == letter else { return false }
      return matches(pattern.dropFirst(), name.dropFirst())
    }
  }
#endif

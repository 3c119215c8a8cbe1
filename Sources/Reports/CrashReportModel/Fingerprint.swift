extension CrashReport {
  /// A value that all reports of one fault share. It is made from the program's own functions on the stack of the
  /// report.
  public struct Fingerprint: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The fingerprint as text: the version of the rule that made it, a hyphen, and 16 hexadecimal digits. All reports
    /// of the same fault have the same text.
    public var value: String? {
      get { self["value"] }
      set { self["value"] = newValue }
    }

    /// The class of event, which is coarse enough to be the same in every build, such as `trap`, `memory access` or
    /// `hang`.
    public var eventClass: String? {
      get { self["class"] }
      set { self["class"] = newValue }
    }

    /// The functions of the fingerprint, innermost first; addresses if no function has a name.
    public var functions: [String]? {
      get { self["functions"] }
      set { self["functions"] = newValue }
    }

    /// The program's name, if the fingerprint has none of the program's own functions.
    public var program: String? {
      get { self["program"] }
      set { self["program"] = newValue }
    }
  }

  /// The fingerprint; only in symbolicated reports.
  public var fingerprint: Fingerprint? {
    get { self["fingerprint"] }
    set { self["fingerprint"] = newValue }
  }
}

extension CrashReport.Fingerprint {
  /// The kind of event and its place in words, such as `trap in OrderBook.price(of:)`, `error LoadError in open(_:)`,
  /// `lock order inversion in transfer()` or `unclean exit of api: killed`.
  public var title: String {
    // The classification of an exit stands behind the kind; the words of other classes belong together.
    let parts = (eventClass ?? "event").split(separator: " ", maxSplits: 1).map(String.init)
    let isEnding = parts.count == 2 && parts[0] == CrashReport.Kind.uncleanExit.rawValue
    let isError = parts.count == 2 && parts[0] == CrashReport.Kind.error.rawValue
    let what = isError ? parts.joined(separator: " ") : Self.words(isEnding ? parts[0] : eventClass ?? "event")
    let ending = isEnding ? ": \(Self.words(parts[1]))" : ""
    if let function = functions?.first { return "\(what) in \(function)\(ending)" }
    return (program.map { "\(what) of \($0)" } ?? what) + ending
  }

  /// `lock order inversion` for `lockOrderInversion`.
  private static func words(_ name: String) -> String {
    var words = ""
    var isAfterLowercase = false
    for character in name {
      if isAfterLowercase, character.isUppercase {
        words += " " + character.lowercased()
      } else {
        words.append(character)
      }
      isAfterLowercase = character.isLowercase
    }
    return words
  }
}

extension CrashReport {
  /// What makes reports of one fault alike: where the thread was that it is about, in the program's own functions.
  public struct Fingerprint: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The rule's version, a hyphen and 16 hexadecimal digits: equal for reports that belong together.
    public var value: String? {
      get { self["value"] }
      set { self["value"] = newValue }
    }

    /// What happened, as coarsely as it is told the same way by every build: `trap`, `memory access`, `hang`.
    public var eventClass: String? {
      get { self["class"] }
      set { self["class"] = newValue }
    }

    /// The functions that count, innermost first; places where nothing has a name.
    public var functions: [String]? {
      get { self["functions"] }
      set { self["functions"] = newValue }
    }

    /// The program, where none of its own functions counts.
    public var program: String? {
      get { self["program"] }
      set { self["program"] = newValue }
    }
  }

  /// What groups this report with others; only in symbolicated reports.
  public var fingerprint: Fingerprint? {
    get { self["fingerprint"] }
    set { self["fingerprint"] = newValue }
  }
}

extension CrashReport.Fingerprint {
  /// `trap in OrderBook.price(of:)`
  public var title: String {
    let what = eventClass ?? "event"
    if let function = functions?.first { return "\(what) in \(function)" }
    return program.map { "\(what) of \($0)" } ?? what
  }
}

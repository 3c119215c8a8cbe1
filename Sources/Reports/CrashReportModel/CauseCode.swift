public import CReportTerms

extension CrashReport {
  /// Why a process died, as a code that programs can compare. The rows of `Sources/Ground/CReportTerms/causes.def` list
  /// all codes.
  public typealias CauseCode = term_cause

  /// The cause as a code.
  public var causeCode: CauseCode? {
    get { self["causeCode"] }
    set { self["causeCode"] = newValue }
  }

  /// The code in the report. Older reports have no code: the code then comes from the sentence in `cause`.
  public var knownCause: CauseCode? { causeCode ?? cause.flatMap(CauseCode.init(sentence:)) }

  /// Sets both `causeCode` and `cause`.
  public mutating func setCause(_ code: CauseCode, _ sentence: String) {
    cause = sentence
    causeCode = code
  }
}

extension term_cause {
  /// All causes.
  public static let all: [Self] = (1..<term_cause_count()).compactMap { Self(rawValue: RawValue($0)) }

  private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

  /// Finds the cause with this code; `nil` if there is no such code.
  public init?(code: String) {
    guard let cause = Self.byCode[code] else { return nil }
    self = cause
  }

  /// The code in reports, such as `nullDereference`.
  public var code: String { String(cString: term_cause_code(self)) }

  /// The cause in words, with `#` in place of the details of an event.
  public var words: String { String(cString: term_cause_words(self)) }

  /// The cause in words, with these details in place of each `#`.
  public func sentence(_ details: [any CustomStringConvertible]) -> String {
    let parts = words.split(separator: "#", omittingEmptySubsequences: false)
    return zip(parts, details.map(\.description) + [""]).map { $0 + $1 }.joined()
  }
}

// MARK: - Reports without codes

extension term_cause {
  /// The texts with which a sentence may continue after its cause's words.
  private static let continuations = [" (", " in ", ": "]

  /// Finds the cause of a sentence: the sentence begins with the words that `causes.def` has for the cause. `nil` if
  /// there is no such cause.
  public init?(sentence: String) {
    guard let cause = Self.all.first(where: { $0.begins(sentence) }) else { return nil }
    self = cause
  }

  private func begins(_ sentence: String) -> Bool {
    let parts = words.split(separator: "#", omittingEmptySubsequences: false)
    guard let first = parts.first, !words.isEmpty, sentence.hasPrefix(first) else { return false }
    var rest = sentence.dropFirst(first.count)
    for part in parts.dropFirst() {
      // What stands in a gap is a word: a number or the name of a signal.
      guard let end = part.isEmpty ? rest.endIndex : rest.firstRange(of: part)?.lowerBound,
        end > rest.startIndex, !rest[..<end].contains(" ")
      else { return false }
      rest = rest[end...].dropFirst(part.count)
    }
    return rest.isEmpty || Self.continuations.contains { rest.hasPrefix($0) }
  }
}

extension term_cause: JSONRepresentable {
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(code: text)
  }

  public var json: JSONValue { .string(code) }
}

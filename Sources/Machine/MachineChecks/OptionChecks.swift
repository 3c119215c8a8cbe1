import Glibc

/// Whether the libraries understand what their variables hold. Tests compare the keys with those of `install/options.c`
/// and `findings/options.c`.
struct OptionChecks {
  /// What a key's value has to be.
  enum Value: Sendable {
    case truth, path
    case number(most: Int)
    case words([String])
    case truthOr([String])
    /// The value is a number, or a word that means no.
    case seed
    /// The value is `N` for 1 in N, or a word that means yes or no.
    case share
    /// The value is the name or the number of the signal that prints all threads.
    case askingSignal

    func takes(_ value: String) -> Bool {
      switch self {
      case .truth: OptionChecks.truths.contains(value.lowercased())
      case .number(let most): value.utf8.allSatisfy(OptionChecks.isDigit) && Int(value).map { $0 <= most } == true
      case .path: !value.isEmpty
      case .words(let words): words.contains(value)
      case .truthOr(let words): words.contains(value) || Value.truth.takes(value)
      case .share: Value.number(most: 1_000_000_000).takes(value) || Value.truth.takes(value)
      case .askingSignal: OptionChecks.askingSignal(value) != nil
      case .seed: UInt64(value) != nil && value.utf8.allSatisfy(OptionChecks.isDigit) || OptionChecks.isNo(value)
      }
    }
  }

  static let crashKit: [String: Value] = [
    "enable": .truth, "summary": .truth, "journal": .truth, "registers": .truth, "tasks": .truth, "thrown": .truth,
    "arguments": .truth, "environment": .truth, "output": .words(["file", "stderr", "json-line"]),
    "chain": .truthOr(["auto"]), "hostname": .truth, "guard": .share, "on-signal": .askingSignal,
  ]
  static let threadGuard: [String: Value] = {
    var values: [String: Value] = [
      "limit": .number(most: 1_000_000), "exit-status": .number(most: 255), "summary": .truth, "suppressions": .path,
      "semaphores": .truth,
      "groups": .truth, "freed": .truth, "quick-locks": .truth, "wait-limit": .number(most: 999_999_999),
      "hold-limit": .number(most: 999_999_999),
      "perturb": .seed,
    ]
    for kind in ["mode"] + kinds { values[kind] = .words(["log", "collect", "report", "abort"]) }
    return values
  }()
  static let kinds = [
    "lockOrderInversion", "deadlock", "lockMisuse", "mainQueueViolation", "dataRace", "nan", "hang",
  ]

  static let truths: Set = ["yes", "true", "on", "1", "y", "t", "no", "false", "off", "0", "n", "f"]

  static func isNo(_ value: String) -> Bool { ["no", "off", "false", "0", "n", "f"].contains(value.lowercased()) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// The number of a signal that `on-signal` takes; nil for another word.
  static func askingSignal(_ value: String) -> Int32? {
    let named = ["HUP": SIGHUP, "QUIT": SIGQUIT, "USR1": SIGUSR1, "USR2": SIGUSR2]
    if let signal = named[value.hasPrefix("SIG") ? String(value.dropFirst(3)) : value] { return signal }
    guard value.utf8.count <= 2, value.utf8.allSatisfy(isDigit), let number = Int32(value) else { return nil }
    return named.values.contains(number) || (34...64).contains(number) ? number : nil
  }

  /// The parts of a variable's value that its library does not understand.
  static func mistakes(in options: String, _ known: [String: Value]) -> [String] {
    options.split(separator: ",").map(String.init).filter { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return pair.count != 2 || known[pair[0]]?.takes(pair[1]) != true
    }
  }

  /// What there is to say of a variable's mistakes; nil if it has none.
  static func finding(_ variable: String, _ options: String, _ known: [String: Value]) -> Finding? {
    let mistakes = mistakes(in: options, known)
    guard !mistakes.isEmpty else { return nil }
    return .problem(
      variable, options, "not understood, and so ignored: \(mistakes.joined(separator: ", "))",
      "correct the value; the known options are \(known.keys.sorted().joined(separator: ", "))")
  }
}

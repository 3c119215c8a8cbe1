import CReportTerms

extension CrashReport.Signal {
  /// A signal's name, such as `SIGSEGV`; `nil` for a number that has no name.
  public static func name(of number: Int32) -> String? {
    let name = String(cString: term_signal_name(number))
    return name.hasPrefix("SIG") ? name : nil
  }

  /// A signal in words, such as `Segmentation fault`; `nil` for a number that has no name.
  public static func words(of number: Int32) -> String? {
    name(of: number) == nil ? nil : String(cString: term_signal_words(number))
  }

  /// The name of a signal's `si_code`, such as `SEGV_MAPERR`; `nil` for a code that has no name.
  public static func codeName(of number: Int32, code: Int32) -> String? {
    term_signal_code_name(number, code).map { String(cString: $0) }
  }

  /// Whether CrashKit writes a report if a process dies of this signal.
  public static func isHandled(_ number: Int32) -> Bool { term_holds(term_handled_signals(), number) }
}

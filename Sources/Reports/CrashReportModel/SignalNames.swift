import CReportTerms

extension CrashReport.Signal {
  /// `SIGSEGV`; `nil` for a number that has no name.
  public static func name(of number: Int32) -> String? {
    let name = String(cString: term_signal_name(number))
    return name.hasPrefix("SIG") ? name : nil
  }

  /// `Segmentation fault`; `nil` for a number that has no name.
  public static func words(of number: Int32) -> String? {
    name(of: number) == nil ? nil : String(cString: term_signal_words(number))
  }

  /// `SEGV_MAPERR`; `nil` for a code that has no name.
  public static func codeName(of number: Int32, code: Int32) -> String? {
    term_signal_code_name(number, code).map { String(cString: $0) }
  }

  /// Whether CrashKit reports a death by this signal.
  public static func isHandled(_ number: Int32) -> Bool { term_holds(term_handled_signals(), number) }
}

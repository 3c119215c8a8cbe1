#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// States that a number must be finite: neither NaN nor infinite. Use it if you do not want ``NaNTrap``.
  ///
  /// `value` and `name` are not evaluated in builds without the checks.
  @_transparent
  public static func expectFinite(
    _ value: @autoclosure () -> some BinaryFloatingPoint, _ name: @autoclosure () -> String = "the value",
    function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
  ) {
    #if THREADGUARD
      let value = value()
      if value.isFinite { return }
      reportNotFinite("\(value)", value.isNaN, name(), Place(function, file, line))
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func reportNotFinite(_ value: String, _ isNaN: Bool, _ name: String, _ place: Place) {
      report(
        Violation(
          isNaN ? CTG_RULE_NOT_A_NUMBER : CTG_RULE_INFINITE, message: "\(name) must be finite, but is \(value)",
          expected: "a finite number", actual: value, at: place))
    }
  }
#endif

import CCrashCapture

extension CrashKit {
  /// Sets an attribute of the process, or removes it. Every report has all attributes.
  ///
  /// ```swift
  /// CrashKit.setAttribute("tenant", "blue")
  /// CrashKit.setAttribute("tenant", nil)
  /// ```
  ///
  /// You may call `setAttribute` from any thread, before and after the installation. A forked child starts with its
  /// parent's attributes. Do not call `setAttribute` from a signal handler, because threads that set attributes wait
  /// for each other.
  ///
  /// - Parameters:
  ///   - key: At most 64 bytes of UTF-8, not empty. If the key looks like the name of a secret (`password`, `token`,
  ///     `authorization`, …), the value is stored as `***`.
  ///   - value: At most 512 bytes of UTF-8. A longer value is cut at a whole character and ends in "…". `nil` removes
  ///     the key.
  /// - Returns: Whether the change was made. `false` if the key is empty, or if 64 other keys are set.
  @discardableResult
  public static func setAttribute(_ key: String, _ value: String?) -> Bool {
    withCharacters(of: key) { key in
      guard let value else { return ck_attribute_set(key.baseAddress, key.count, nil, 0) == CK_ATTRIBUTE_SET }
      return withCharacters(of: value) { value in
        ck_attribute_set(key.baseAddress, key.count, value.baseAddress, value.count) == CK_ATTRIBUTE_SET
      }
    }
  }
}

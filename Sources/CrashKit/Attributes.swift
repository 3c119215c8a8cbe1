import CCrashCapture

extension CrashKit {
  /// Sets an attribute of the process, or removes it; every report carries all attributes.
  ///
  /// ```swift
  /// CrashKit.setAttribute("tenant", "blue")
  /// CrashKit.setAttribute("tenant", nil)
  /// ```
  ///
  /// Callable from any thread, before and after the installation; a forked child starts with its parent's attributes. Not to
  /// be called from a signal handler: writers take turns.
  ///
  /// - Parameters:
  ///   - key: At most 64 bytes of UTF-8, not empty. If it looks like a secret's (`password`, `token`, `authorization`, …) the
  ///     value is stored as `***`.
  ///   - value: At most 512 bytes of UTF-8; what is longer is cut at a whole character and ends in "…". `nil` removes the key.
  /// - Returns: Whether the table now says so. `false` when the key is empty or when 64 other keys are set.
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

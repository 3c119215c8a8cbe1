import CCrashCapture

extension CrashKit {
  /// Records a breadcrumb: a short note of what the program did. The ring of breadcrumbs remains after the process
  /// ends.
  ///
  /// ```swift
  /// CrashKit.record("DidEnterBackground", category: "lifecycle")
  /// CrashKit.record("checkout failed", category: "shop", level: .error, attributes: ["order": id])
  /// ```
  ///
  /// You may call `record` from any thread, before and after the installation, and after a fork. The call takes no lock
  /// and does not wait. It allocates no memory if the strings are native Swift strings, as nearly all are. A text
  /// beyond its limit is cut at a whole character and ends in "…".
  ///
  /// - Parameters:
  ///   - message: At most 1,024 bytes of UTF-8.
  ///   - category: The part of the program to which the breadcrumb belongs; at most 64 bytes.
  ///   - level: How important the breadcrumb is.
  ///   - attributes: At most 16 pairs and about 1 kB in all, in no particular order. A key has at most 64 bytes, a
  ///     value 256. If a key looks like the name of a secret (`password`, `token`, `authorization`, …), its value is
  ///     recorded as `***`.
  public static func record(
    _ message: String, category: String = "", level: Level = .info, attributes: [String: String] = [:]
  ) {
    if attributes.isEmpty {
      record(message, category, level, nil)
    } else {
      withEncoded(attributes) { record(message, category, level, $0) }
    }
  }

  /// Records a breadcrumb. `add` adds its attributes one by one, without a dictionary.
  package static func record(_ message: String, category: String, level: Level, adding add: (BreadcrumbPairs) -> Void) {
    withPairs(add) { record(message, category, level, $0) }
  }

  @inline(__always)
  private static func record(
    _ message: String, _ category: String, _ level: Level, _ attributes: UnsafePointer<ck_crumb_attributes>?
  ) {
    withCharacters(of: message) { message in
      withCharacters(of: category) { category in
        _ = ck_breadcrumb_record(
          message.baseAddress, message.count, category.baseAddress, category.count, ck_level(rawValue: level.rawValue),
          attributes)
      }
    }
  }

  static func withEncoded<Result>(
    _ attributes: some Sequence<(key: String, value: String)>, _ body: (UnsafePointer<ck_crumb_attributes>) -> Result
  ) -> Result {
    withPairs({ pairs in for (key, value) in attributes { pairs.add(key, value) } }, body)
  }

  private static func withPairs<Result>(
    _ add: (BreadcrumbPairs) -> Void, _ body: (UnsafePointer<ck_crumb_attributes>) -> Result
  ) -> Result {
    // A temporary allocation of this size would be one of the heap.
    var encoded = ck_crumb_attributes()
    return withUnsafeMutablePointer(to: &encoded) { encoded in
      add(BreadcrumbPairs(encoded: encoded))
      return body(encoded)
    }
  }

  /// The attributes of a breadcrumb that is being made.
  package struct BreadcrumbPairs {
    fileprivate let encoded: UnsafeMutablePointer<ck_crumb_attributes>

    /// Adds `trace.id` and `span.id`.
    package func add(_ trace: Trace) { trace.withEncoded { ck_crumb_attributes_add_trace(encoded, $0) } }

    /// Adds a pair. The value is masked or cut if necessary, and the pair is left out if there is no room.
    package func add(_ key: String, _ value: String) {
      withCharacters(of: key) { key in
        withCharacters(of: value) { value in
          ck_crumb_attributes_add(encoded, key.baseAddress, key.count, value.baseAddress, value.count)
        }
      }
    }
  }

  /// The string's UTF-8, in place if the string is a native one, without retaining it.
  @inline(__always)
  static func withCharacters<Result>(of text: String, _ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
    let result = text.utf8.withContiguousStorageIfAvailable { bytes in bytes.withMemoryRebound(to: CChar.self, body) }
    if let result { return result }
    var native = text
    return native.withUTF8 { bytes in bytes.withMemoryRebound(to: CChar.self, body) }
  }
}

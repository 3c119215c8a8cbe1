import Glibc

/// The value of an environment variable; `nil` if it is not set.
public func environment(_ name: String) -> String? {
  getenv(name).map { String(systemText: $0) }
}

/// Sets an environment variable. If `overwriting` is false, a variable that is already set keeps its value.
public func setEnvironment(_ name: String, _ value: String, overwriting: Bool = true) {
  _ = value.withSystemText { setenv(name, $0, overwriting ? 1 : 0) }
}

/// Calls a function with a null-terminated array of C strings.
@discardableResult
public func withSystemTexts<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { $0.withSystemText { strdup($0) } } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}

import Glibc

/// The hash that Sentry names files and their chunks by: libcrypto's, opened at need as libcurl is, which brings it.
struct SHA1: ~Copyable {
  private let library: Library
  private let context: OpaquePointer

  /// Nil if libcrypto is not installed, or if it refuses this hash.
  init?() {
    guard let library = Library.shared, let context = library.begin() else { return nil }
    guard library.start(context, library.algorithm, nil) == 1 else {
      library.free(context)
      return nil
    }
    self.library = library
    self.context = context
  }

  mutating func add(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { library.add(context, $0.baseAddress, $0.count) }
  }

  /// 40 small hexadecimal digits.
  consuming func digits() -> String {
    var hash = [UInt8](repeating: 0, count: 20)
    _ = library.finish(context, &hash, nil)
    return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func digits(of bytes: [UInt8]) -> String? {
    guard var hash = SHA1() else { return nil }
    hash.add(bytes)
    return hash.digits()
  }

  deinit { library.free(context) }
}

private struct Library: @unchecked Sendable {
  private static let names = ["libcrypto.so.3", "libcrypto.so.1.1"]

  static let shared = Library()

  let algorithm: OpaquePointer
  let begin: @convention(c) () -> OpaquePointer?
  let start: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
  let add: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
  let finish: @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?) -> Int32
  let free: @convention(c) (OpaquePointer?) -> Void

  private init?() {
    guard let handle = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
    func function<Function>(_ name: String, _: Function.Type) -> Function? {
      dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
    }
    typealias Begin = @convention(c) () -> OpaquePointer?
    typealias Start = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    typealias Add = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
    typealias Finish =
      @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?) -> Int32
    guard let algorithm = function("EVP_sha1", Begin.self)?(), let begin = function("EVP_MD_CTX_new", Begin.self),
      let start = function("EVP_DigestInit_ex", Start.self), let add = function("EVP_DigestUpdate", Add.self),
      let finish = function("EVP_DigestFinal_ex", Finish.self),
      let free = function("EVP_MD_CTX_free", (@convention(c) (OpaquePointer?) -> Void).self)
    else { return nil }
    (self.algorithm, self.begin, self.start) = (algorithm, begin, start)
    (self.add, self.finish, self.free) = (add, finish, free)
  }
}

import CCurl
import Glibc

/// libcurl, opened when it is first needed, so that a machine without it runs everything else.
struct CurlLibrary: @unchecked Sendable {
  /// Debian has it with OpenSSL and with GnuTLS. They take the same calls.
  private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  /// Nil if it is not installed.
  static let shared = CurlLibrary()

  let begin: @convention(c) () -> UnsafeMutableRawPointer?
  let end: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let reset: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let perform: @convention(c) (UnsafeMutableRawPointer?) -> Int32
  let words: @convention(c) (Int32) -> UnsafePointer<CChar>?
  let append: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
  let freeList: @convention(c) (OpaquePointer?) -> Void
  /// These two functions take any number of arguments: CCurl calls them.
  let set: UnsafeMutableRawPointer
  let get: UnsafeMutableRawPointer

  private init?() {
    // Never closed: its own libraries leave handlers behind.
    guard let handle = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
    func function<Function>(_ name: String, _: Function.Type) -> Function? {
      dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
    }
    typealias Begin = @convention(c) () -> UnsafeMutableRawPointer?
    typealias End = @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias Perform = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    typealias Words = @convention(c) (Int32) -> UnsafePointer<CChar>?
    typealias Append = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
    guard let setUp = function("curl_global_init", (@convention(c) (Int) -> Int32).self),
      let begin = function("curl_easy_init", Begin.self), let end = function("curl_easy_cleanup", End.self),
      let reset = function("curl_easy_reset", End.self), let perform = function("curl_easy_perform", Perform.self),
      let words = function("curl_easy_strerror", Words.self), let append = function("curl_slist_append", Append.self),
      let freeList = function("curl_slist_free_all", (@convention(c) (OpaquePointer?) -> Void).self),
      let set = dlsym(handle, "curl_easy_setopt"), let get = dlsym(handle, "curl_easy_getinfo"),
      // CURL_GLOBAL_ALL
      setUp(3) == CCURL_OK.rawValue
    else { return nil }
    (self.begin, self.end, self.reset, self.perform) = (begin, end, reset, perform)
    (self.words, self.append, self.freeList, self.set, self.get) = (words, append, freeList, set, get)
  }
}

import Glibc

/// libdebuginfod (elfutils), opened when it is first needed, so that a machine without it works.
struct DebuginfodLibrary: @unchecked Sendable {
  typealias Client = OpaquePointer
  /// Called again and again while a request is under way; anything but 0 ends it.
  typealias Progress = @convention(c) (Client?, Int, Int) -> Int32
  typealias Find =
    @convention(c) (
      Client?, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  static let name = "libdebuginfod.so.1"
  /// Nil if it is not installed.
  static let shared = DebuginfodLibrary()

  let begin: @convention(c) () -> Client?
  let end: @convention(c) (Client?) -> Void
  let findDebugInfo: Find
  let findExecutable: Find
  let setProgress: @convention(c) (Client?, Progress?) -> Void
  let setUserData: @convention(c) (Client?, UnsafeMutableRawPointer?) -> Void
  let userData: @convention(c) (Client?) -> UnsafeMutableRawPointer?

  private init?() {
    // Its own libraries' names are kept to themselves; it is never closed, as its threads may live on.
    guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    func function<Function>(_ name: String, _: Function.Type) -> Function? {
      dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let begin = function("debuginfod_begin", (@convention(c) () -> Client?).self),
      let end = function("debuginfod_end", (@convention(c) (Client?) -> Void).self),
      let findDebugInfo = function("debuginfod_find_debuginfo", Find.self),
      let findExecutable = function("debuginfod_find_executable", Find.self),
      let setProgress = function(
        "debuginfod_set_progressfn", (@convention(c) (Client?, Progress?) -> Void).self),
      let setUserData = function(
        "debuginfod_set_user_data", (@convention(c) (Client?, UnsafeMutableRawPointer?) -> Void).self),
      let userData = function(
        "debuginfod_get_user_data", (@convention(c) (Client?) -> UnsafeMutableRawPointer?).self)
    else { return nil }
    self.begin = begin
    self.end = end
    self.findDebugInfo = findDebugInfo
    self.findExecutable = findExecutable
    self.setProgress = setProgress
    self.setUserData = setUserData
    self.userData = userData
  }
}

import Dispatch

#if THREADGUARD
  import CThreadGuard
#endif

extension DispatchQueue {
  /// Like `sync`, but always visible to ThreadGuard: in programs with static Swift libraries, ThreadGuard cannot see
  /// calls of `sync`. In a release build this function only calls `sync`.
  ///
  /// You may call it from any thread, except a thread that runs the queue's own work.
  public func guardedSync<Result>(execute work: () throws -> Result) rethrows -> Result {
    #if THREADGUARD
      return try withoutActuallyEscaping(work) { work in
        var outcome: Swift.Result<Result, any Error>?
        withUnsafeMutablePointer(to: &outcome) { outcome in
          var body = { outcome.pointee = Swift.Result { try work() } }
          withUnsafeMutablePointer(to: &body) { body in
            ctg_guarded_sync(nativeQueue, body) { $0!.assumingMemoryBound(to: (() -> Void).self).pointee() }
          }
        }
        return try outcome!.get()
      }
    #else
      return try sync(execute: work)
    #endif
  }

  #if THREADGUARD
    /// libdispatch's object, which the Swift one holds behind its own header of two words.
    private var nativeQueue: UnsafeMutableRawPointer? {
      Unmanaged.passUnretained(self).toOpaque().load(fromByteOffset: 16, as: UnsafeMutableRawPointer?.self)
    }
  #endif
}

import CCrashCapture

/// The kernel's name of a thread: at most 15 bytes.
package struct ThreadName: Sendable {
  package let text: String

  /// The name of the calling thread.
  package static var own: ThreadName {
    var bytes = [CChar](repeating: 0, count: 16)
    ck_thread_own_name(&bytes)
    return ThreadName(text: String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Whether it is that of a worker of libdispatch, which has the end of the name of a queue such as
  /// `com.apple.root.default-qos`.
  var isOfWorker: Bool { text.hasSuffix("-qos") || text.hasSuffix("qos.overcommit") }
}

import CReportTerms

/// A Swift task in a dead process's memory, from a copy of its bytes.
struct SwiftTask {
  /// Where it lay.
  let object: UInt64
  private let bytes: [UInt8]

  /// Nil if there is no task of this runtime at the address. The words behind a child task may be missing.
  init?(at object: UInt64, in memory: CoreMemory, _ runtime: SwiftRuntime) {
    guard object != 0, object % UInt64(TERM_TASK_ALIGNMENT) == 0 else { return nil }
    let bytes = memory.read(object, Int(TERM_TASK_BYTES))
    guard bytes.count >= Int(TERM_TASK_SIZE) else { return nil }
    self.object = object
    self.bytes = bytes + [UInt8](repeating: 0, count: Int(TERM_TASK_BYTES) - bytes.count)
    guard word(0) == runtime.taskMetadata, flags & TERM_JOB_KIND == 0 else { return nil }
  }

  private func load<Value: FixedWidthInteger>(_ offset: Int32, as type: Value.Type) -> Value {
    bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: Int(offset), as: type)) }
  }

  private func word(_ offset: Int32) -> UInt64 { load(offset, as: UInt64.self) }
  private func half(_ offset: Int32) -> UInt32 { load(offset, as: UInt32.self) }

  private var flags: UInt32 { half(TERM_TASK_FLAGS) }
  private var status: UInt64 { word(TERM_TASK_STATUS) }
  private func status(has bit: UInt32) -> Bool { status & UInt64(bit) != 0 }

  /// From 1, in the order in which tasks are made.
  var id: UInt64 { UInt64(half(TERM_TASK_ID_HIGH)) << 32 | UInt64(half(TERM_TASK_ID_LOW)) }
  var isChild: Bool { flags & TERM_JOB_IS_CHILD != 0 }
  var isAsyncLet: Bool { flags & TERM_JOB_IS_ASYNC_LET != 0 }
  var hasName: Bool { flags & TERM_JOB_HAS_NAME != 0 }
  var parent: UInt64 { word(TERM_TASK_PARENT) }
  var resume: UInt64 { word(TERM_TASK_RESUME) }
  var context: UInt64 { word(TERM_TASK_CONTEXT) }
  var record: UInt64 { word(TERM_TASK_RECORD) }
  var firstSlab: UInt64 { word(TERM_TASK_FIRST_SLAB) }
  var dependency: UInt64 { word(TERM_TASK_DEPENDENCY) }
  var priority: Int { Int(status & UInt64(TERM_STATUS_PRIORITY)) }
  var isRunning: Bool { status(has: TERM_STATUS_RUNNING) }
  var isEnqueued: Bool { status(has: TERM_STATUS_ENQUEUED) }
  var isCancelled: Bool { status(has: TERM_STATUS_CANCELLED) }

  var isFreed: Bool {
    let references = word(TERM_TASK_REFERENCES)
    return references & UInt64(TERM_REFERENCES_IS_ELSEWHERE) == 0
      && references & UInt64(TERM_REFERENCES_IS_DEINITING) != 0
  }

  /// Whether the parts of the status agree with each other and with the other fields.
  var hasSoundStatus: Bool {
    status & ~UInt64(TERM_STATUS_KNOWN) == 0 && !status(has: TERM_STATUS_COMPLETE) && !(isRunning && isEnqueued)
      && status(has: TERM_STATUS_HAS_DEPENDENCY) == (dependency != 0)
      && word(TERM_TASK_BASE_PRIORITY) <= UInt64(priority)
  }

  /// Whether the runtime has made all of it: a name that it was given comes last.
  var isMade: Bool { !hasName || record != 0 || isRunning }

  /// Whether the runtime made it for a timer: each `Task.sleep` has such a task, which no program knows.
  var isHelper: Bool {
    !isRunning && !isEnqueued && !status(has: TERM_STATUS_HAS_DEPENDENCY) && record == 0 && firstSlab == 0
      && flags & (TERM_JOB_PRIORITY | TERM_JOB_HAS_NAME | TERM_JOB_IS_CHILD) == 0
  }
}

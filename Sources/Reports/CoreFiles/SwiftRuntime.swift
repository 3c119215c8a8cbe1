import CReportTerms

/// The Swift concurrency runtime of a dead process: the words that it keeps for debuggers (swift,
/// stdlib/public/Concurrency/Debug.h).
struct SwiftRuntime {
  /// The first word of each task.
  let taskMetadata: UInt64
  /// The first word of each piece of memory that tasks allocate from.
  let slabMetadata: UInt64

  /// Why the tasks of a core cannot be found.
  struct Unknown: Error {
    let reason: String
  }

  init(_ memory: CoreMemory, _ modules: CoreModules) throws(Unknown) {
    let places = modules.addresses(of: [
      TERM_TASK_WORD_VERSION, TERM_TASK_WORD_SIZE, TERM_TASK_WORD_METADATA, TERM_TASK_WORD_SLAB_METADATA,
    ])
    // Constants need not be in the core.
    func constant<Value: FixedWidthInteger & BitwiseCopyable>(_ name: String) -> Value? {
      places[name].flatMap { memory.load(at: $0) ?? modules.load(at: $0) }
    }
    func pointer(_ name: String) -> UInt64? {
      places[name].flatMap { memory.load(at: $0) }.flatMap { $0 == 0 ? nil : $0 }
    }
    guard let version: UInt32 = constant(TERM_TASK_WORD_VERSION), let size: UInt64 = constant(TERM_TASK_WORD_SIZE),
      let task = pointer(TERM_TASK_WORD_METADATA)
    else { throw Unknown(reason: TERM_TASKS_NO_RUNTIME) }
    guard version == UInt32(TERM_TASK_LAYOUT_VERSION), size == UInt64(TERM_TASK_SIZE) else {
      throw Unknown(reason: TERM_TASKS_OTHER_LAYOUT)
    }
    guard let slab = pointer(TERM_TASK_WORD_SLAB_METADATA) else { throw Unknown(reason: TERM_TASKS_NO_SLABS) }
    (taskMetadata, slabMetadata) = (task, slab)
  }
}

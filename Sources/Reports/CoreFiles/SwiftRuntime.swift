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

  private static let version = "_swift_concurrency_debug_internal_layout_version"
  private static let size = "_swift_concurrency_debug_asyncTaskSize"
  private static let task = "_swift_concurrency_debug_asyncTaskMetadata"
  private static let slab = "_swift_concurrency_debug_asyncTaskSlabMetadata"

  init(_ memory: CoreMemory, _ modules: CoreModules) throws(Unknown) {
    let places = modules.addresses(of: [Self.version, Self.size, Self.task, Self.slab])
    // Constants need not be in the core.
    func constant<Value: FixedWidthInteger & BitwiseCopyable>(_ name: String) -> Value? {
      places[name].flatMap { memory.load(at: $0) ?? modules.load(at: $0) }
    }
    func pointer(_ name: String) -> UInt64? { places[name].flatMap { memory.load(at: $0) } }
    guard let version: UInt32 = constant(Self.version), let size: UInt64 = constant(Self.size),
      let task = pointer(Self.task)
    else { throw Unknown(reason: "no Swift concurrency runtime that can be seen") }
    guard version == UInt32(TERM_TASK_LAYOUT_VERSION), size == UInt64(TERM_TASK_SIZE) else {
      throw Unknown(reason: "a Swift concurrency runtime of another layout")
    }
    guard let slab = pointer(Self.slab) else {
      throw Unknown(reason: "a Swift concurrency runtime that does not say what tasks allocate from")
    }
    (taskMetadata, slabMetadata) = (task, slab)
  }
}

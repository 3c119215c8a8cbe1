import Symbolication

/// Unwinds the threads of a core over the files that were found and checked, and the core's memory.
final class CoreUnwinder {
  struct Frame {
    var address: UInt64
    /// Whether this is where the thread was, rather than where a call returns to.
    var isProgramCounter: Bool
    var byFramePointer: Bool

    /// The instruction that it stands for: that of the call, which a return address lies behind.
    var target: UInt64 { isProgramCounter ? address : address &- 1 }
  }

  struct Stack {
    var top: [Frame] = []
    var omitted = 0
    var bottom: [Frame] = []
    /// `entry`, or why the stack could not be followed to there.
    var end = "entry"
  }

  /// Frames that are kept at either end of a stack.
  static let framesAtTop = 256
  static let framesAtBottom = 128
  /// Frames that are followed in one stack, and in all together.
  static let framesWalked = 1 << 20
  static let framesOfAll = 8 << 20

  /// The files that it unwinds over.
  let modules: CoreModules
  private let threads: [CoreNotes.Thread]
  private let walker: any StackWalker
  private var budget = CoreUnwinder.framesOfAll

  /// Nil where libdw cannot unwind this machine's stacks.
  init?(
    _ memory: CoreMemory, _ notes: CoreNotes, _ images: [CoreImage], _ machine: CoreMachine,
    _ options: SymbolicationOptions
  ) {
    guard let modules = CoreModules(memory, images, ImageFileSearch(options)) else { return nil }
    self.modules = modules
    threads = notes.threads
    switch machine {
    case .x86:
      guard let walker = LibdwWalker(memory, modules) else { return nil }
      self.walker = walker
    case .arm:
      walker = ArmWalker(memory, modules, FunctionStarts(modules, options), codeMask: notes.codeMask)
    }
  }

  /// The stack of a thread, by its place among the threads.
  func stack(of index: Int) -> Stack {
    let frames = FrameCollector(limit: min(Self.framesWalked, budget))
    let end = walker.walk(threads[index].registers, into: frames)
    budget -= frames.count
    var stack = frames.stack
    stack.end = frames.isAtLimit ? "too many frames" : end
    return stack
  }
}

/// Follows a stack from a thread's registers on.
protocol StackWalker {
  /// Adds frames for as long as they are taken, and says where the stack ends.
  func walk(_ registers: [UInt64], into frames: FrameCollector) -> String
}

/// Collects a stack's frames.
final class FrameCollector {
  private(set) var stack = CoreUnwinder.Stack()
  private(set) var count = 0
  private(set) var last: CoreUnwinder.Frame?
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  var isAtLimit: Bool { count >= limit }

  /// Whether another frame is wanted.
  @discardableResult
  func add(_ frame: CoreUnwinder.Frame) -> Bool {
    guard !isAtLimit else { return false }
    count += 1
    last = frame
    if stack.top.count < CoreUnwinder.framesAtTop {
      stack.top.append(frame)
    } else {
      stack.bottom.append(frame)
      // Dropped many at a time, as each costs as much as all that stay.
      if stack.bottom.count == 2 * CoreUnwinder.framesAtBottom {
        stack.bottom.removeFirst(CoreUnwinder.framesAtBottom)
        stack.omitted += CoreUnwinder.framesAtBottom
      }
    }
    return true
  }
}

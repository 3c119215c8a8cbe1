#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// The place at which a rule is stated. It has only literals, so that a check that passes costs very little.
  @usableFromInline
  struct Place: Sendable {
    @usableFromInline let function: StaticString
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt

    @usableFromInline
    init(_ function: StaticString, _ file: StaticString, _ line: UInt) {
      self.function = function
      self.file = file
      self.line = line
    }
  }
}

#if THREADGUARD
  extension ThreadGuard.Violation {
    /// Makes a violation of a rule that is stated at `place`, by the calling thread. It has the thread's stack, and the
    /// stack of the thread that enqueued the current work.
    init(
      _ rule: ctg_rule, message: String, expected: String? = nil, actual: String? = nil, at place: ThreadGuard.Place
    ) {
      self.init(
        rule, message: message, expected: expected, actual: actual,
        stacks: [LabelledStack.own] + LabelledStack.enqueuer, function: "\(place.function)", file: "\(place.file)",
        line: Int(place.line))
    }
  }

  extension ThreadGuard.Violation.LabelledStack {
    /// The stack of the calling thread.
    static var own: Self {
      // Not in a closure of the standard library's: what leads up to here is to be ThreadGuard's own functions alone.
      let capacity = 64
      let addresses = UnsafeMutablePointer<UInt>.allocate(capacity: capacity)
      defer { addresses.deallocate() }
      let count = ctg_own_stack(addresses, capacity)
      return Self(
        label: "here", thread: .init(id: ctg_thread_id(), name: ThreadGuard.currentThreadName),
        addresses: Array(UnsafeBufferPointer(start: addresses, count: count)))
    }

    /// The stack that enqueued the work of the calling thread; empty if it is not known.
    static var enqueuer: [Self] {
      var thread: Int32 = 0
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
        name.initialize(repeating: 0)
        let addresses = [UInt](unsafeUninitializedCapacity: Int(CTG_WORK_FRAMES)) { buffer, count in
          count = ctg_enqueue_stack(buffer.baseAddress, buffer.count, &thread, name.baseAddress!)
        }
        if addresses.isEmpty { return [] }
        let enqueuer = ThreadGuard.Violation.Thread(id: thread, name: String(cString: name.baseAddress!))
        return [Self(label: "enqueued from", thread: enqueuer, addresses: addresses)]
      }
    }
  }
#endif

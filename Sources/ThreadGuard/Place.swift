#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// Where a rule is stated. Made of literals alone, so that a check that holds costs next to nothing.
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
    /// A rule that is stated at `place` and broken by the calling thread, with its stack and that of whoever enqueued
    /// what it runs.
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
    /// The calling thread's.
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

    /// The stack that enqueued what the calling thread runs; none if that is not known.
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

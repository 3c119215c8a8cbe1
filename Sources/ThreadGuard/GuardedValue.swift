#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// A value whose reads and writes are watched. If an access on one thread overlaps a write on another thread,
  /// ThreadGuard reports both with their stacks. So a data race becomes visible without a special build.
  ///
  /// ```swift
  /// @ThreadGuard.GuardedValue var previous: Sample?
  /// ```
  ///
  /// The wrapper does not protect the value, and is not `Sendable`. Two cases are not violations: several threads read
  /// at once, or a thread accesses the value within its own access. Sometimes ThreadGuard delays an access by 0.05 to
  /// 0.1 ms, so that accesses of other threads overlap it. ThreadGuard delays at most one access in eight milliseconds,
  /// and only after two threads have used the value. Copies of the wrapper share the value. In builds without the checks,
  /// the wrapper is only a reference to the value.
  @propertyWrapper
  public final class GuardedValue<Value> {
    @usableFromInline var value: Value
    #if THREADGUARD
      @usableFromInline let access: UnsafeMutablePointer<ctg_access>
      @usableFromInline let place: Place
    #endif

    /// Guards a value. Violations name the line of this call.
    @inlinable
    public init(
      wrappedValue: Value, function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
    ) {
      value = wrappedValue
      #if THREADGUARD
        place = Place(function, file, line)
        access = .allocate(capacity: 1)
        access.initialize(to: ctg_access())
      #endif
    }

    #if THREADGUARD
      deinit {
        ctg_access_forget(access)
        access.deallocate()
      }
    #endif

    /// The value. Each access checks that no other thread accesses it.
    @inlinable public var wrappedValue: Value {
      get {
        #if THREADGUARD
          let token = ctg_access_begin(access, false)
          defer { end(token) }
        #endif
        return value
      }
      _modify {
        #if THREADGUARD
          let token = ctg_access_begin(access, true)
          defer { end(token) }
        #endif
        yield &value
      }
    }

    /// Runs `body`, and treats the whole run as one access that reads the value.
    @inlinable
    public func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
      #if THREADGUARD
        let token = ctg_access_begin(access, false)
        defer { end(token) }
      #endif
      return try body(value)
    }

    /// Runs `body`, and treats the whole run as one access that writes the value.
    @inlinable
    public func write<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
      #if THREADGUARD
        let token = ctg_access_begin(access, true)
        defer { end(token) }
      #endif
      return try body(&value)
    }

    #if THREADGUARD
      @inlinable
      func end(_ token: Int32) {
        var overlap = ctg_overlap()
        if ctg_access_end(access, token, &overlap) { ThreadGuard.reportOverlap(overlap, Value.self, place) }
      }
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func reportOverlap(_ overlap: ctg_overlap, _ type: Any.Type, _ place: Place) {
      func verb(_ side: ctg_access_side) -> String { side.writes ? "write" : "read" }
      let first = overlap.first
      let second = overlap.second
      let stacks = [
        Violation.LabelledStack(second, label: "the second access (\(verb(second))), during the first"),
        Violation.LabelledStack(first, label: "the first access (\(verb(first)))"),
      ]
      report(
        Violation(
          CTG_RULE_OVERLAPPING_ACCESS,
          message: "a \(verb(second)) of \(type) in \(place.function) on thread \"\(stacks[0].thread.name)\" overlaps "
            + "a \(verb(first)) on thread \"\(stacks[1].thread.name)\"",
          stacks: stacks, function: "\(place.function)", file: "\(place.file)", line: Int(place.line)))
    }
  }

  extension ThreadGuard.Violation.LabelledStack {
    fileprivate init(_ side: ctg_access_side, label: String) {
      let name = withUnsafeBytes(of: side.thread_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let addresses = withUnsafeBytes(of: side.frames) { Array($0.bindMemory(to: UInt.self).prefix(side.frame_count)) }
      // Locks that are inlined onto futex, as Mutex of Synchronization, cannot be seen.
      let locks = withUnsafeBytes(of: side.locks) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      self.init(
        label: locks.isEmpty ? label : "\(label), with \(locks) held, as far as ThreadGuard can see",
        thread: .init(id: side.thread, name: name), addresses: addresses)
    }
  }
#endif

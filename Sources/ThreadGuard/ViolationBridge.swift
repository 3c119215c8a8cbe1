import CThreadGuard

// Violations on their way between Swift and C.

extension ThreadGuard.Violation.Kind {
  /// As `enum ctg_kind` counts them.
  static let inOrder: [Self] = [
    .lockOrderInversion, .deadlock, .lockMisuse, .mainQueueViolation, .dataRace, .nan, .hang,
  ]
  var cValue: ctg_kind { ctg_kind(UInt32(Self.inOrder.firstIndex(of: self)!)) }
}

extension ThreadGuard.Violation.Severity {
  /// As `enum ctg_severity` counts them.
  static let inOrder: [Self] = [.note, .warning, .error]
  var cValue: ctg_severity { ctg_severity(UInt32(Self.inOrder.firstIndex(of: self)!)) }
}

extension ThreadGuard.Violation.Lock.Kind {
  /// As `enum ctg_lock_type` counts them.
  static let inOrder: [Self] = [
    .mutex, .recursiveMutex, .rwlock, .spinlock, .semaphore, .group, .queue, .guardedLock, .thread, .swiftMutex,
  ]
  var cValue: ctg_lock_type { ctg_lock_type(UInt32(Self.inOrder.firstIndex(of: self)!)) }
}

/// Memory for everything that a C violation points to, freed at once.
private struct Arena: ~Copyable {
  private var pieces: [UnsafeMutableRawPointer] = []

  mutating func array<Source, Element>(
    _ source: [Source], _ element: (Source, inout Arena) -> Element
  ) -> UnsafePointer<Element>? {
    if source.isEmpty { return nil }
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: source.count)
    pieces.append(memory)
    for (index, value) in source.enumerated() { (memory + index).initialize(to: element(value, &self)) }
    return UnsafePointer(memory)
  }

  mutating func string(_ text: String?) -> UnsafePointer<CChar>? {
    text.flatMap { array(Array($0.utf8CString)) { byte, _ in byte } }
  }

  mutating func stack(_ entries: [UInt]) -> ctg_stack {
    ctg_stack(addresses: array(entries) { entry, _ in entry }, count: entries.count)
  }

  deinit { for piece in pieces { piece.deallocate() } }
}

extension ThreadGuard.Violation.Thread {
  fileprivate var cValue: ctg_thread {
    var thread = ctg_thread()
    thread.id = id
    withUnsafeMutableBytes(of: &thread.name) { bytes in
      for (index, byte) in name.utf8.prefix(bytes.count - 1).enumerated() { bytes[index] = byte }
    }
    return thread
  }

  fileprivate init(_ thread: ctg_thread) {
    let name = withUnsafeBytes(of: thread.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(id: thread.id, name: name)
  }
}

extension ThreadGuard.Violation.LabelledStack {
  /// A stack as C holds it.
  init(label: String, thread: ThreadGuard.Violation.Thread, entries: [UInt]) {
    self.init(
      label: label, thread: thread, addresses: entries.map(ctg_entry_address),
      startsAtInstruction: entries.first.map(ctg_entry_is_instruction) ?? false)
  }

  fileprivate var entries: [UInt] {
    guard startsAtInstruction, let first = addresses.first else { return addresses }
    return [ctg_entry_of_instruction(first)] + addresses.dropFirst()
  }
}

extension ThreadGuard.Violation {
  /// Calls `body` with this violation in C's shape, which lasts for the call.
  func withCViolation<Result>(_ body: (UnsafePointer<ctg_violation>) -> Result) -> Result {
    var arena = Arena()
    var violation = ctg_violation()
    violation.kind = kind.cValue
    violation.severity = severity.cValue
    violation.code = arena.string(code)
    violation.message = arena.string(message)
    violation.locks = arena.array(locks) { lock, arena in
      ctg_lock(
        address: lock.address, type: lock.kind.cValue, name: arena.string(lock.name), origin: arena.stack(lock.origin))
    }
    violation.lock_count = locks.count
    violation.edges = arena.array(edges) { edge, arena in
      ctg_edge(
        from: edge.from, to: edge.to, from_mode: edge.fromIsShared ? CTG_SHARED : CTG_EXCLUSIVE,
        to_mode: edge.toIsShared ? CTG_SHARED : CTG_EXCLUSIVE, thread: edge.thread.cValue,
        from_stack: arena.stack(edge.fromStack), to_stack: arena.stack(edge.toStack),
        held: arena.array(edge.held) { index, _ in index }, held_count: edge.held.count)
    }
    violation.edge_count = edges.count
    violation.stacks = arena.array(stacks) { stack, arena in
      ctg_labelled_stack(
        label: arena.string(stack.label), thread: stack.thread.cValue, stack: arena.stack(stack.entries))
    }
    violation.stack_count = stacks.count
    violation.expected = arena.string(expected)
    violation.actual = arena.string(actual)
    violation.function = function.isEmpty ? nil : arena.string(function)
    violation.file = file.isEmpty ? nil : arena.string(file)
    violation.line = UInt32(clamping: line)
    return withExtendedLifetime(arena) { withUnsafePointer(to: violation, body) }
  }

  /// A copy of a violation in C's shape.
  init(_ violation: ctg_violation) {
    func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map(String.init(cString:)) }
    func entries(_ stack: ctg_stack) -> [UInt] {
      Array(UnsafeBufferPointer(start: stack.addresses, count: stack.count))
    }
    func addresses(_ stack: ctg_stack) -> [UInt] { entries(stack).map(ctg_entry_address) }
    self.init(
      kind: Kind.inOrder[Int(violation.kind.rawValue)], severity: Severity.inOrder[Int(violation.severity.rawValue)],
      code: text(violation.code) ?? "", message: text(violation.message) ?? "", expected: text(violation.expected),
      actual: text(violation.actual),
      locks: UnsafeBufferPointer(start: violation.locks, count: violation.lock_count).map { lock in
        Lock(
          address: lock.address, kind: Lock.Kind.inOrder[Int(lock.type.rawValue)], name: text(lock.name),
          origin: addresses(lock.origin))
      },
      edges: UnsafeBufferPointer(start: violation.edges, count: violation.edge_count).map { edge in
        Edge(
          from: edge.from, to: edge.to, fromIsShared: edge.from_mode == CTG_SHARED,
          toIsShared: edge.to_mode == CTG_SHARED, thread: Thread(edge.thread), fromStack: addresses(edge.from_stack),
          toStack: addresses(edge.to_stack), held: Array(UnsafeBufferPointer(start: edge.held, count: edge.held_count)))
      },
      stacks: UnsafeBufferPointer(start: violation.stacks, count: violation.stack_count).map { stack in
        LabelledStack(
          label: text(stack.label) ?? "", thread: Thread(stack.thread), entries: entries(stack.stack))
      },
      function: text(violation.function) ?? "", file: text(violation.file) ?? "", line: Int(violation.line))
    account = violation.account
  }
}

/// The violations that the C code has stored.
enum Kept {
  private final class Taken {
    var violations: [ThreadGuard.Violation] = []
  }

  static func take() -> (violations: [ThreadGuard.Violation], omitted: Int) {
    let taken = Taken()
    let omitted = ctg_take_violations(
      { violation, context in
        Unmanaged<Taken>.fromOpaque(context!).takeUnretainedValue().violations.append(.init(violation!.pointee))
      }, Unmanaged.passUnretained(taken).toOpaque())
    return (taken.violations, omitted)
  }
}

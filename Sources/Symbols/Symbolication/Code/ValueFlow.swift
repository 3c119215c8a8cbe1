/// Where a register's value comes from.
struct FlowValue: Hashable {
  enum Root: Hashable {
    case unknown
    /// The value of a register at the function's entry.
    case entry(RegisterNumber)
    /// The canonical frame address.
    case frame
    /// The root is 0, so the value is an address of the file.
    case file
    /// The result of the load at this address.
    case loaded(UInt64)
    /// The result of the call at this address.
    case returned(UInt64)
  }

  var root: Root
  /// How much more than the root; nil for an amount that is not known.
  var offset: Int64? = 0

  static let unknown = FlowValue(root: .unknown)

  func adding(_ amount: Int64) -> FlowValue {
    root == .unknown ? self : FlowValue(root: root, offset: offset.map { $0 &+ amount })
  }

  var withUnknownOffset: FlowValue {
    switch root {
    case .entry, .loaded, .returned: FlowValue(root: root, offset: nil)
    case .unknown, .frame, .file: .unknown
    }
  }

  /// What holds if either may have been the value.
  func joined(_ other: FlowValue) -> FlowValue {
    if self == other { return self }
    return root == other.root ? withUnknownOffset : .unknown
  }
}

/// What the registers of a function hold at each of its instructions, on every way through it that its code tells: a
/// constant propagation over all instructions.
///
/// A way that is not seen would make a value wrong, so there is none at all for a function with a jump through a register,
/// or with code that is not understood.
struct ValueFlow {
  typealias State = [FlowValue]

  let addresses: [UInt64]
  let instructions: [Instruction]
  private var states: [State?]
  private let processor: Processor
  private let isSwift: Bool
  /// The frame pointer all through the function, if only its first and last instructions set it.
  private var fixedFrame: FlowValue?

  /// - Parameter parts: The function's code with its addresses; the first begins with the function's entry.
  init?(_ parts: [(start: UInt64, code: Bytes)], _ processor: Processor, isSwift: Bool) {
    self.processor = processor
    self.isSwift = isSwift
    var found: [(UInt64, Instruction)] = []
    for part in parts.sorted(by: { $0.start < $1.start }) {
      var offset: UInt64 = 0
      while offset < UInt64(part.code.count) {
        guard found.count < Limits.flowInstructions,
          let instruction = processor.decode(part.code.suffix(from: offset), part.start &+ offset)
        else { return nil }
        found.append((part.start &+ offset, instruction))
        offset += instruction.length
      }
      guard offset == UInt64(part.code.count) else { return nil }
    }
    addresses = found.map(\.0)
    instructions = found.map(\.1)
    states = Array(repeating: nil, count: instructions.count)
    guard let entry = parts.first.flatMap({ index(of: $0.start) }), areJumpsKnown(in: parts) else { return nil }
    fixedFrame = frameSetOnce(from: entry)
    spread(entryState, to: entry)
    // What no way leads to, handlers of exceptions among it, may be entered with anything.
    for index in states.indices where states[index] == nil { spread(anyState, to: index) }
  }

  /// The frame pointer, if it is the same all through the function, and how far it is from the canonical frame address.
  var fixedFrameOffset: (register: RegisterNumber, offset: Int64)? {
    fixedFrame.flatMap { $0.offset }.map { (processor.framePointer, $0) }
  }

  /// The place of the instruction that begins at an address.
  func index(of address: UInt64) -> Int? {
    var low = 0
    var high = addresses.count
    while low < high {
      let middle = (low + high) / 2
      if addresses[middle] < address { low = middle + 1 } else { high = middle }
    }
    return low < addresses.count && addresses[low] == address ? low : nil
  }

  /// What a register holds before an instruction.
  func value(of register: RegisterNumber, before index: Int) -> FlowValue {
    guard Int(register) < processor.registerCount else { return .unknown }
    return states[index].map { $0[Int(register)] } ?? .unknown
  }

  /// The address of memory before an instruction; nil if it has an index or is not known.
  func address(of operand: MemoryOperand, before index: Int) -> FlowValue? {
    guard operand.index == nil else { return nil }
    guard let base = operand.base else { return FlowValue(root: .file, offset: operand.displacement) }
    let value = value(of: base, before: index).adding(operand.displacement)
    return value.root == .unknown || value.offset == nil ? nil : value
  }

  // MARK: - Memory of the frame

  /// A register that is stored in the frame.
  struct Store {
    /// Where, from the canonical frame address.
    var place: Int64
    var value: FlowValue
    /// The address behind the instruction.
    var end: UInt64
  }

  /// All stores of known values to known places of the frame.
  private(set) lazy var stores: [Store] = instructions.indices.compactMap { index in
    guard let register = instructions[index].stored, let operand = instructions[index].source,
      let place = address(of: operand, before: index), place.root == .frame, let offset = place.offset
    else { return nil }
    let value = value(of: register, before: index)
    return Store(place: offset, value: value, end: addresses[index] &+ instructions[index].length)
  }

  /// What a place in the frame holds, if only one value is ever stored there: where the compiler keeps a register for a
  /// while. It passes on no address of such a place.
  mutating func onlyValue(at place: Int64) -> FlowValue? {
    let known = stores.filter { $0.place == place }.map(\.value)
    guard let value = known.first, value.root != .unknown, known.allSatisfy({ $0 == value }) else { return nil }
    let reach: Int64 = 64
    for index in instructions.indices {
      let instruction = instructions[index]
      for case (_, .address(let operand)) in instruction.effects {
        guard let taken = address(of: operand, before: index), taken.root == .frame, let offset = taken.offset else {
          continue
        }
        if offset <= place { return nil }
      }
      let isWord = instruction.stored != nil || instruction.effects.contains { $0.effect == .load }
      for operand in instruction.memory {
        guard let used = address(of: operand, before: index), used.root == .frame, let offset = used.offset,
          offset > place &- reach, offset < place &+ 8
        else { continue }
        if !isWord || (offset != place && offset > place &- 8) { return nil }
      }
    }
    return value
  }

  // MARK: - Ways

  private var entryState: State {
    var state = (0..<processor.registerCount).map { FlowValue(root: .entry(RegisterNumber($0))) }
    state[Int(processor.stackPointer)] = FlowValue(root: .frame, offset: -processor.entryDistance)
    return state
  }

  private var anyState: State {
    var state = Array(repeating: FlowValue.unknown, count: processor.registerCount)
    if let fixedFrame { state[Int(processor.framePointer)] = fixedFrame }
    return state
  }

  private func areJumpsKnown(in parts: [(start: UInt64, code: Bytes)]) -> Bool {
    instructions.allSatisfy { instruction in
      switch instruction.flow {
      case .indirect: return false
      case .branch(let target), .jump(let target):
        let isInside = parts.contains { target >= $0.start && target - $0.start < UInt64($0.code.count) }
        return !isInside || index(of: target) != nil
      default: return true
      }
    }
  }

  /// x86-64's `push %rbp; mov %rsp, %rbp` near the entry, if the frame pointer is only restored afterwards.
  private func frameSetOnce(from entry: Int) -> FlowValue? {
    let (frame, stack) = (processor.framePointer, processor.stackPointer)
    var state = entryState
    for index in entry..<min(entry + 8, instructions.count) {
      state = after(index, state)
      guard case .frame = state[Int(frame)].root else { continue }
      let isSetAgain = instructions.indices.contains { other in
        let changed = instructions[other].effects.map(\.register)
        // `pop` and `leave` change both.
        return other != index && changed.contains(frame) && !changed.contains(stack)
      }
      return isSetAgain ? nil : state[Int(frame)]
    }
    return nil
  }

  private mutating func spread(_ state: State, to first: Int) {
    var work = [(first, state)]
    while let (index, incoming) = work.popLast() {
      let known = states[index]
      let joined = known.map { zip($0, incoming).map { $0.joined($1) } } ?? incoming
      guard joined != known else { continue }
      states[index] = joined
      let outgoing = after(index, joined)
      for next in successors(of: index) { work.append((next, outgoing)) }
    }
  }

  private func successors(of index: Int) -> [Int] {
    let end = addresses[index] &+ instructions[index].length
    let following = index + 1 < addresses.count && addresses[index + 1] == end ? [index + 1] : []
    switch instructions[index].flow {
    case .next, .call: return following
    case .branch(let target): return following + [self.index(of: target)].compactMap { $0 }
    case .jump(let target): return [self.index(of: target)].compactMap { $0 }
    case .end, .indirect: return []
    }
  }

  private func after(_ index: Int, _ state: State) -> State {
    var result = state
    let instruction = instructions[index]
    for (register, effect) in instruction.effects {
      result[Int(register)] =
        switch effect {
        case .unknown: .unknown
        case .load: FlowValue(root: .loaded(addresses[index]))
        case .copy(let source): state[Int(source)]
        case .sum(let source, let amount): state[Int(source)].adding(amount)
        case .beyond(let source): state[Int(source)].withUnknownOffset
        case .total(let left, let right): Self.total(state[Int(left)], state[Int(right)])
        case .address(let operand): address(operand, state)
        }
    }
    if instruction.flow == .call {
      for register in processor.changedByCall { result[Int(register)] = .unknown }
      result[0] = FlowValue(root: .returned(addresses[index]))
      if isSwift { result[Int(processor.errorRegister)] = .unknown }
    }
    return result
  }

  /// One of the two is the pointer, if it is known which.
  private static func total(_ left: FlowValue, _ right: FlowValue) -> FlowValue {
    switch (left.root, right.root) {
    case (.unknown, _): right.withUnknownOffset
    case (_, .unknown): left.withUnknownOffset
    default: .unknown
    }
  }

  private func address(_ operand: MemoryOperand, _ state: State) -> FlowValue {
    guard let base = operand.base else {
      return operand.index == nil ? FlowValue(root: .file, offset: operand.displacement) : .unknown
    }
    let value = state[Int(base)].adding(operand.displacement)
    return operand.index == nil ? value : value.withUnknownOffset
  }
}

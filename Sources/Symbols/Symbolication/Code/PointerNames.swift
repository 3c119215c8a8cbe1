import CLibdw

/// Finds what the source calls a pointer that a register holds.
struct PointerNames {
  /// A pointer in the source's words, and what it points to.
  struct Named {
    var name: String
    var pointee: Entry?
  }

  let scopes: FunctionScopes
  private(set) var flow: ValueFlow?
  let budget: EntryBudget
  let types: TypeMembers
  private let locations: LocationReader

  init(_ scopes: FunctionScopes, _ flow: ValueFlow?, _ budget: EntryBudget) {
    self.scopes = scopes
    self.flow = flow
    self.budget = budget
    types = TypeMembers(budget: budget)
    locations = LocationReader(scopes.function)
  }

  /// The pointer that a register holds when the instruction at an address is about to run, and how much more than the
  /// pointer the register holds; nil for an amount that is not known.
  mutating func pointer(
    in register: RegisterNumber, at address: UInt64, loads: Int = 0
  ) -> (named: Named, offset: Int64?)? {
    if let named = variable(at: address, where: { $0 == .register(register) }) { return (named, 0) }
    guard let flow, let index = flow.index(of: address) else { return nil }
    return pointer(flow.value(of: register, before: index), at: address, flow, loads: loads)
  }

  private mutating func pointer(
    _ value: FlowValue, at address: UInt64, _ flow: ValueFlow, loads: Int
  ) -> (named: Named, offset: Int64?)? {
    let named: Named?
    switch value.root {
    case .entry(let origin):
      named =
        variable(at: scopes.ranges[0].lowerBound, where: { $0 == .register(origin) })
        ?? variable(at: address, where: { $0 == .entry(origin) })
    case .loaded(let load): named = pointer(loadedAt: load, flow, loads: loads)
    case .returned: named = nil
    case .unknown, .frame, .file: return nil
    }
    return (named ?? copy(of: value.root)).map { ($0, value.offset) }
  }

  /// A variable in the frame that a value is stored in.
  private mutating func copy(of root: FlowValue.Root) -> Named? {
    for store in self.flow?.stores ?? [] where store.value == FlowValue(root: root) {
      if let named = variable(at: store.end, where: { isFrame($0, store.place) }) { return named }
    }
    return nil
  }

  private func isFrame(_ location: VariableLocation, _ place: Int64) -> Bool {
    switch location {
    case .frame(let start): start == place
    case .memory(let register, let distance): frameRegister(register).map { $0 &+ distance == place } ?? false
    default: false
    }
  }

  /// The distance of a register from the canonical frame address, if it is the same in the whole function.
  private func frameRegister(_ register: RegisterNumber) -> Int64? {
    flow?.fixedFrameOffset.flatMap { $0.register == register ? $0.offset : nil }
  }

  /// The innermost variable at a place that is a pointer. One that points to a type with members goes before others.
  private func variable(at address: UInt64, where isPlace: (VariableLocation) -> Bool) -> Named? {
    var found: Named?
    for entry in scopes.variables(at: address) {
      guard let location = locations.location(entry.location, at: address), isPlace(location),
        let (name, type) = entry.described(budget), let type, let pointee = types.pointee(type)
      else { continue }
      let named = Named(name: name, pointee: pointee)
      if pointee.flatMap({ types.size($0) }) != nil { return named }
      found = found ?? named
    }
    return found
  }

  // MARK: - Loads

  private mutating func pointer(loadedAt address: UInt64, _ flow: ValueFlow, loads: Int) -> Named? {
    guard loads < Limits.flowLoads, let index = flow.index(of: address),
      let operand = flow.instructions[index].source
    else { return nil }
    if operand.index == nil, let named = stored(at: operand, flow, index) { return named }
    if let place = flow.address(of: operand, before: index), place.root == .frame, let offset = place.offset {
      guard let value = self.flow?.onlyValue(at: offset), value.offset == 0 else { return nil }
      return pointer(value, at: address, flow, loads: loads + 1)?.named
    }
    guard let base = operand.base, let (outer, offset) = pointer(in: base, at: address, loads: loads + 1),
      let pointee = outer.pointee, let offset
    else { return nil }
    let (total, isTooLarge) = offset.addingReportingOverflow(operand.displacement)
    guard !isTooLarge, total >= 0 else { return nil }
    if operand.index != nil {
      // Which element it was is not known any more.
      guard total == 0, operand.scale == 8, let inner = types.pointee(pointee) else { return nil }
      return Named(name: outer.name + "[…]", pointee: inner)
    }
    if total == 0, let inner = types.pointee(pointee) { return Named(name: "*" + outer.name, pointee: inner) }
    return member(of: outer.name, types.path(behind: pointee, at: UInt64(total)))
  }

  private func member(of name: String, _ path: TypeMembers.Path?) -> Named? {
    guard let path, let type = path.type, let pointee = types.pointee(type) else { return nil }
    return Named(name: TypeMembers.join(name, path.text), pointee: pointee)
  }

  /// The pointer in a variable that lies in memory, or in a part of one.
  private func stored(at operand: MemoryOperand, _ flow: ValueFlow, _ index: Int) -> Named? {
    let address = flow.addresses[index]
    let place = flow.address(of: operand, before: index)
    for entry in scopes.variables(at: address) {
      guard let location = locations.location(entry.location, at: address),
        let distance = distance(from: location, to: operand, place, flow, index), distance >= 0,
        let named = part(of: entry, at: UInt64(distance))
      else { continue }
      return named
    }
    guard let place, place.root == .file, let target = place.offset else { return nil }
    return global(at: UInt64(bitPattern: target))
  }

  private func distance(
    from location: VariableLocation, to operand: MemoryOperand, _ place: FlowValue?, _ flow: ValueFlow, _ index: Int
  ) -> Int64? {
    let start: FlowValue
    switch location {
    case .frame(let distance): start = FlowValue(root: .frame, offset: distance)
    case .file(let address): start = FlowValue(root: .file, offset: Int64(bitPattern: address))
    case .memory(let register, let distance):
      if operand.base == register { return operand.displacement &- distance }
      start = flow.value(of: register, before: index).adding(distance)
      guard start.root == .frame else { return nil }
    case .register, .entry: return nil
    }
    guard let place, place.root == start.root, let from = start.offset, let to = place.offset else { return nil }
    return to &- from
  }

  private func part(of entry: Entry, at offset: UInt64) -> Named? {
    guard let (name, type) = entry.described(budget), let type else { return nil }
    if let pointee = types.pointee(type) { return offset == 0 ? Named(name: name, pointee: pointee) : nil }
    return member(of: name, types.path(in: type, at: offset))
  }

  /// A variable outside of functions.
  private func global(at address: UInt64) -> Named? {
    let unit = scopes.function.unit
    guard let root = Entry(at: UInt64(unit.firstEntry), in: unit, budget) else { return nil }
    var found: Named?
    root.forEachDescendant(budget) { entry, _ in
      if entry.tag == DW_TAG_variable, found == nil, case .file(let start)? = locations.location(entry.location, at: 0),
        start <= address
      {
        found = part(of: entry, at: address - start)
      }
      return entry.tag == DW_TAG_namespace
    }
    return found
  }
}

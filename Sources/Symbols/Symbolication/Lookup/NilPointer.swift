/// A memory access that failed at an address near zero.
public struct FailedAccess: Sendable, Hashable {
  /// The program counter.
  public var address: UInt64
  /// The address of the memory.
  public var target: UInt64
  /// The registers by their names in reports.
  public var registers: [String: UInt64]

  /// Describes an access.
  public init(address: UInt64, target: UInt64, registers: [String: UInt64]) {
    self.address = address
    self.target = target
    self.registers = registers
  }
}

/// The pointer near zero that caused a failed memory access.
public struct NilPointer: Sendable, Hashable {
  /// The register from which the instruction read the pointer.
  public var register: String
  /// The value of the pointer; nil if the instruction added an unknown amount to it.
  public var value: UInt64?
  /// The distance in bytes from the pointer's value to the accessed address; nil if this is not known.
  public var offset: UInt64?
  /// Its name in the source, such as `order` or `order.customer`.
  public var name: String?
  /// The type to which it points.
  public var type: String?
  /// The member at the offset, such as `items.count` or `[3].x`.
  public var member: String?
}

/// Finds the pointer of a failed access: by the instruction, by the way its registers got their values, and by what debug
/// information says of variables and types.
struct NilPointerSearch {
  /// Linux maps nothing below it: an address there is an offset from a null pointer.
  private static let firstMapped: UInt64 = 0x10000

  let file: ELFFile
  let processor: Processor
  /// The program counter, as the file has addresses.
  let address: UInt64
  let access: FailedAccess
  /// The entry of the function around the address.
  let function: Entry?
  let budget: EntryBudget

  func run() -> NilPointer? {
    guard access.target < Self.firstMapped, let code = file.code(at: address),
      let instruction = processor.decode(code, address)
    else { return nil }
    let operands = instruction.memory.filter { effectiveAddress($0) == access.target }
    // Two that say the same do not say which it was.
    guard operands.count == 1, let operand = operands.first else { return nil }
    let candidates = [operand.base, operand.scale == 1 ? operand.index : nil].compactMap { $0 }
    var names = function.flatMap { PointerNames($0, file, processor, budget) }
    for register in candidates {
      if let (named, added) = names?.pointer(in: register, at: address) {
        return describe(register, named, added, names)
      }
    }
    return operand.base.flatMap { base in plain(base) }
  }

  private func value(_ register: RegisterNumber) -> UInt64? {
    processor.names[Int(register)].lazy.compactMap { access.registers[$0] }.first
  }

  private func effectiveAddress(_ operand: MemoryOperand) -> UInt64? {
    var sum = UInt64(bitPattern: operand.displacement)
    if let base = operand.base {
      guard let value = value(base) else { return nil }
      sum &+= value
    }
    if let index = operand.index {
      guard let value = value(index) else { return nil }
      sum &+= value &* operand.scale
    }
    return sum
  }

  /// What the registers alone say.
  private func plain(_ register: RegisterNumber) -> NilPointer? {
    guard let value = value(register), value <= access.target else { return nil }
    return NilPointer(register: processor.names[Int(register)][0], value: value, offset: access.target - value)
  }

  private func describe(
    _ register: RegisterNumber, _ named: PointerNames.Named, _ added: Int64?, _ names: PointerNames?
  ) -> NilPointer? {
    var pointer = NilPointer(register: processor.names[Int(register)][0], name: named.name)
    pointer.type = named.pointee.flatMap { names?.types.name($0) }
    guard let added, let held = value(register) else { return pointer }
    let value = held &- UInt64(bitPattern: added)
    // Then the register did not get its value that way.
    guard value <= access.target else { return plain(register) }
    pointer.value = value
    let offset = access.target - value
    pointer.offset = offset
    pointer.member = named.pointee.flatMap { names?.types.path(behind: $0, at: offset)?.text }
    if pointer.member?.isEmpty == true { pointer.member = nil }
    return pointer
  }
}

extension PointerNames {
  /// Nil for a function without code.
  init?(_ function: Entry, _ file: ELFFile, _ processor: Processor, _ budget: EntryBudget) {
    guard let scopes = FunctionScopes(function, budget) else { return nil }
    let parts = scopes.ranges.map { range in
      (start: range.lowerBound, code: file.code(at: range.lowerBound)?.prefix(range.upperBound - range.lowerBound))
    }
    let code = parts.compactMap { part in part.code.map { (start: part.start, code: $0) } }
    let flow = code.count == parts.count ? ValueFlow(code, processor, isSwift: function.unit.isSwift) : nil
    self.init(scopes, flow, budget)
  }
}

extension ImageReader {
  /// The pointer near zero that an access failed by; nil if the instruction does not say which register had it.
  ///
  /// Nothing is said by a file that may be of another build.
  func nilPointer(_ access: FailedAccess) -> NilPointer? {
    guard let file = files.file, files.image.buildID != nil, let processor = Processor(machine: file.machine) else {
      return nil
    }
    let address = fileAddress(of: access.address)
    let budget = EntryBudget()
    return NilPointerSearch(
      file: file, processor: processor, address: address, access: access, function: function(at: address, budget),
      budget: budget
    ).run()
  }
}

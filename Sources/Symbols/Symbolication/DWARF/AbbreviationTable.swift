import CLibdw

/// The shapes of a unit's entries, prepared for passing quickly over those that are not wanted.
final class AbbreviationTable {
  struct Declaration {
    var tag: UInt16
    var hasChildren: Bool
    var role: Role
    var attributes: Range<Int32>
    /// Those that pass an entry as a whole. For a function they stop at the attributes that its place in the code needs.
    var steps: Range<Int32>
  }

  enum Role {
    /// A subprogram that has code, or an inlined one.
    case function
    /// A subprogram that is only declared, or has but inlined copies.
    case functionWithoutCode
    case other
  }

  struct Attribute {
    var name: UInt16
    var form: UInt16
    var implicit: Int64
  }

  /// `fixed` bytes to pass, then, unless its form is 0, one value: an attribute that is wanted, or one without a name,
  /// whose size stands in the entry.
  struct Step {
    var fixed: UInt32
    var name: UInt16
    var form: UInt16
    var implicit: Int64
  }

  /// By code, where codes run from 1 without gaps, as compilers write them.
  let declarations: [Declaration]
  let attributes: [Attribute]
  let steps: [Step]
  /// How many things it keeps.
  var cost: Int { declarations.count + attributes.count }
  /// Every code's place, where codes do not run without gaps.
  private let sparse: [UInt64: Int]?

  /// - Parameter budget: How many shapes and attributes it may have at most.
  init(_ section: Bytes, at offset: UInt64, _ encoding: UnitEncoding, budget: Int) {
    var reader = AbbreviationReader(encoding: encoding, budget: budget)
    reader.read(ByteCursor(section, at: offset))
    declarations = reader.declarations
    attributes = reader.attributes
    steps = reader.steps
    sparse = reader.sparse
  }

  /// The index in `declarations` of a code.
  @inline(__always) func index(of code: UInt64) -> Int? {
    if let sparse { return sparse[code] }
    return code &- 1 < UInt64(declarations.count) ? Int(code &- 1) : nil
  }
}

private struct AbbreviationReader {
  let encoding: UnitEncoding
  let budget: Int
  private(set) var declarations: [AbbreviationTable.Declaration] = []
  private(set) var attributes: [AbbreviationTable.Attribute] = []
  private(set) var steps: [AbbreviationTable.Step] = []
  private(set) var sparse: [UInt64: Int]?

  init(encoding: UnitEncoding, budget: Int) {
    self.encoding = encoding
    self.budget = budget
  }

  mutating func read(_ start: ByteCursor) {
    var cursor = start
    while declarations.count < Limits.abbreviations, declarations.count + attributes.count < budget {
      let code = cursor.uleb()
      guard code != 0, !cursor.hasFailed else { break }
      let declaration = readDeclaration(at: &cursor)
      guard !cursor.hasFailed, declaration.attributes.count < Limits.attributesPerEntry else { break }
      if sparse == nil, code != UInt64(declarations.count + 1) {
        sparse = Dictionary(uniqueKeysWithValues: declarations.indices.map { (UInt64($0 + 1), $0) })
      }
      sparse?[code] = declarations.count
      declarations.append(declaration)
    }
  }

  private mutating func readDeclaration(at cursor: inout ByteCursor) -> AbbreviationTable.Declaration {
    let tag = UInt16(truncatingIfNeeded: cursor.uleb())
    let hasChildren = cursor.u8() != 0
    let firstAttribute = Int32(attributes.count)
    while attributes.count - Int(firstAttribute) < Limits.attributesPerEntry,
      let attribute = AttributeCursor.next(&cursor)
    {
      attributes.append(attribute)
    }
    let range = firstAttribute..<Int32(attributes.count)
    let role = role(of: tag, range)
    return AbbreviationTable.Declaration(
      tag: tag, hasChildren: hasChildren, role: role, attributes: range,
      steps: addSteps(past: range, stopping: role == .function))
  }

  private func role(of tag: UInt16, _ range: Range<Int32>) -> AbbreviationTable.Role {
    if tag == UInt16(DW_TAG_inlined_subroutine) { return .function }
    guard tag == UInt16(DW_TAG_subprogram) else { return .other }
    func has(_ name: Int) -> Bool { range.contains { Int(attributes[Int($0)].name) == name } }
    return has(DW_AT_ranges) || (has(DW_AT_low_pc) && has(DW_AT_high_pc)) ? .function : .functionWithoutCode
  }

  /// - Parameter stopping: Whether the attributes that a function's place in the code needs are wanted.
  private mutating func addSteps(past range: Range<Int32>, stopping: Bool) -> Range<Int32> {
    let first = Int32(steps.count)
    var fixed: UInt32 = 0
    for attribute in attributes[Int(range.lowerBound)..<Int(range.upperBound)] {
      let isWanted = stopping && Self.placesFunction(attribute.name)
      if !isWanted, let size = FormValue.fixedSize(of: attribute.form, encoding) {
        fixed &+= UInt32(size)
      } else {
        steps.append(
          AbbreviationTable.Step(
            fixed: fixed, name: isWanted ? attribute.name : 0, form: attribute.form, implicit: attribute.implicit))
        fixed = 0
      }
    }
    if fixed > 0 { steps.append(AbbreviationTable.Step(fixed: fixed, name: 0, form: 0, implicit: 0)) }
    return first..<Int32(steps.count)
  }

  private static func placesFunction(_ attribute: UInt16) -> Bool {
    switch Int(attribute) {
    case DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges, DW_AT_abstract_origin, DW_AT_call_file, DW_AT_call_line,
      DW_AT_call_column:
      true
    default: false
    }
  }
}

/// Reads the pairs of attribute and form in a declaration.
enum AttributeCursor {
  /// The next pair, or nil behind the last.
  static func next(_ cursor: inout ByteCursor) -> AbbreviationTable.Attribute? {
    let name = cursor.uleb()
    let form = cursor.uleb()
    guard name != 0 || form != 0, !cursor.hasFailed else { return nil }
    let implicit = form == UInt64(DW_FORM_implicit_const) ? cursor.sleb() : 0
    return AbbreviationTable.Attribute(
      name: UInt16(truncatingIfNeeded: name), form: UInt16(truncatingIfNeeded: form), implicit: implicit)
  }

  /// Finds one code's declaration without reading the table as a whole: the cursor then stands at its first pair.
  static func find(
    code: UInt64, in section: Bytes, at offset: UInt64
  ) -> (cursor: ByteCursor, tag: Int, hasChildren: Bool)? {
    var cursor = ByteCursor(section, at: offset)
    for _ in 0..<1_024 {
      let found = cursor.uleb()
      guard found != 0 else { return nil }
      let tag = Int(truncatingIfNeeded: cursor.uleb())
      let hasChildren = cursor.u8() != 0
      guard !cursor.hasFailed else { return nil }
      if found == code { return (cursor, tag, hasChildren) }
      var attributes = 0
      while next(&cursor) != nil {
        attributes += 1
        guard attributes < Limits.attributesPerEntry else { return nil }
      }
    }
    return nil
  }
}

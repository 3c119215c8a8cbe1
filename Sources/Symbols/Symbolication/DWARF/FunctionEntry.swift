import CLibdw

/// What a function's entry, and the entries that it is made from, say of its name and its place in the source.
struct FunctionEntry {
  /// In the file's own memory; see `Unit.text`.
  var linkageName: UnsafeRawBufferPointer?
  var name: UnsafeRawBufferPointer?
  /// Number in the line table of `declarationUnit`.
  var declarationFile: UInt32 = 0
  var declarationLine: UInt32 = 0
  var declarationUnit: Unit?

  /// Follows abstract origins and specifications until a linkage name is found, at most `Limits.originHops` times.
  init(at entry: UInt64, in unit: Unit) {
    var next: (unit: Unit, entry: UInt64)? = (unit, entry)
    for _ in 0..<Limits.originHops {
      guard let current = next, linkageName == nil else { return }
      next = read(current.entry, in: current.unit)
    }
  }

  /// Where the function is declared, as far as the line tables show it.
  var declaration: Declaration? {
    guard declarationLine != 0, let file = declarationUnit?.lines?.file(declarationFile) else { return nil }
    return Declaration(path: file.path, line: declarationLine)
  }

  /// Takes over what the entry adds; gives the entry that it refers to.
  private mutating func read(_ entry: UInt64, in unit: Unit) -> (Unit, UInt64)? {
    var cursor = ByteCursor(unit.file.info.prefix(UInt64(unit.end)), at: entry)
    let abbreviations = unit.abbreviations
    guard let index = abbreviations.index(of: cursor.uleb()) else { return nil }
    var reference = FormValue.none
    for attribute in abbreviations.declarations[index].attributes {
      let attribute = abbreviations.attributes[Int(attribute)]
      let value = FormValue.read(form: attribute.form, implicit: attribute.implicit, at: &cursor, unit.encoding)
      switch Int(attribute.name) {
      case DW_AT_linkage_name, DW_AT_MIPS_linkage_name: linkageName = linkageName ?? unit.text(value)
      case DW_AT_name: name = name ?? unit.text(value)
      case DW_AT_abstract_origin: reference = value
      case DW_AT_specification: if reference.kind == .none { reference = value }
      case DW_AT_decl_line:
        if declarationLine == 0 {
          declarationLine = UInt32(clamping: value.value)
          declarationUnit = unit
        }
      case DW_AT_decl_file: if declarationFile == 0 { declarationFile = UInt32(clamping: value.value) }
      default: break
      }
    }
    return unit.target(of: reference)
  }
}

extension Unit: FunctionDescriber {
  /// All inlined copies of a function in a unit share one entry.
  func name(of node: FunctionTree.Node, in names: FunctionNames) -> FunctionName {
    let (unit, entry) = place(of: node)
    return names.function(at: entry, in: unit)
  }

  func declaration(of node: FunctionTree.Node) -> Declaration? {
    let (unit, entry) = place(of: node)
    return FunctionEntry(at: entry, in: unit).declaration
  }

  /// Where a function's entry is that has its name: for an inlined call, with what it is a copy of.
  func place(of node: FunctionTree.Node) -> (unit: Unit, entry: UInt64) {
    node.isInlined ? target(of: node.origin) ?? (self, node.entry) : (self, node.entry)
  }

  /// The entry that a reference means, with its unit.
  func target(of reference: FormValue) -> (Unit, UInt64)? {
    switch reference.kind {
    case .unitReference:
      let entry = UInt64(offset) &+ reference.value
      return entry >= UInt64(firstEntry) && entry < UInt64(end) ? (self, entry) : nil
    case .reference:
      return file.unit(holding: reference.value).map { ($0, reference.value) }
    case .alternateReference:
      return file.alternate?.unit(holding: reference.value).map { ($0, reference.value) }
    default: return nil
    }
  }
}

/// A function's name, made readable once.
final class FunctionName: Sendable {
  /// As the linker knows it.
  let mangled: String?
  let readable: String
  /// Whether it is a runtime's, or a thunk, as far as the name tells.
  let isRuntime: Bool
  /// Set where this is not a function but the reason of a trap.
  let runtimeFailure: String?

  private static let failureMark = "Swift runtime failure: "

  init(mangled: String, full: Bool, classifies: Bool) {
    self.mangled = mangled
    readable = Demangler.demangle(mangled, full: full)
    if classifies {
      let short = full ? Demangler.demangle(mangled, full: false) : readable
      isRuntime = FrameClassifier.isRuntimeFunction(mangled: mangled, short: short)
    } else {
      isRuntime = false
    }
    runtimeFailure = mangled.hasPrefix(Self.failureMark) ? String(mangled.dropFirst(Self.failureMark.utf8.count)) : nil
  }

  static let unnamed = FunctionName()

  private init() {
    mangled = nil
    readable = "<unknown function>"
    isRuntime = false
    runtimeFailure = nil
  }
}

/// The names of an image's functions: each is read and demangled once.
final class FunctionNames {
  /// A function by its entry, in whichever of an image's files, or by its name's place in a symbol table.
  struct Key: Hashable {
    var file: ObjectIdentifier
    var entry: UInt64
  }

  private let full: Bool
  private let classifies: Bool
  private var byEntry: [Key: FunctionName] = [:]
  private var bySymbol: [Key: FunctionName] = [:]
  /// A function that is inlined in several units has an entry in each.
  private var byName: [String: FunctionName] = [:]

  init(full: Bool, classifies: Bool) {
    self.full = full
    self.classifies = classifies
  }

  /// The name of a function or inlined call. All inlined copies of a function in a unit share one entry.
  func function(of node: FunctionTree.Node, in unit: Unit) -> FunctionName {
    let (unit, entry) = Self.place(of: node, in: unit)
    let key = Key(file: ObjectIdentifier(unit.file), entry: entry)
    if let name = byEntry[key] { return name }
    let found = FunctionEntry(at: entry, in: unit)
    let name = (found.linkageName ?? found.name).map(function(named:)) ?? .unnamed
    byEntry[key] = name
    return name
  }

  /// Where a function's entry is that has its name: for an inlined call, with what it is a copy of.
  static func place(of node: FunctionTree.Node, in unit: Unit) -> (unit: Unit, entry: UInt64) {
    node.isInlined ? unit.target(of: node.origin) ?? (unit, node.entry) : (unit, node.entry)
  }

  func function(of symbol: SymbolTable.Symbol, in table: SymbolTable) -> FunctionName? {
    let key = Key(file: ObjectIdentifier(table), entry: UInt64(symbol.name))
    if let name = bySymbol[key] { return name }
    guard let mangled = table.name(of: symbol), !mangled.isEmpty else { return nil }
    let name = function(named: mangled)
    bySymbol[key] = name
    return name
  }

  private func function(named mangled: String) -> FunctionName {
    if let name = byName[mangled] { return name }
    let name = FunctionName(mangled: mangled, full: full, classifies: classifies)
    byName[mangled] = name
    return name
  }
}

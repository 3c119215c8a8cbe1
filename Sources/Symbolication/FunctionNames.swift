/// A function's names, made once.
final class FunctionName {
  let mangled: String?
  let readable: String
  let isRuntime: Bool
  /// Set where this is not a function but the reason of a trap.
  let runtimeFailure: String?
  /// Where the function is declared, if its entry says so.
  let declaration: (path: String, line: UInt32)?

  private static let failureMark = "Swift runtime failure: "

  init(mangled: String?, plain: String?, declaration: (path: String, line: UInt32)? = nil, full: Bool) {
    self.mangled = mangled ?? plain
    self.declaration = declaration
    readable = mangled.map { Demangler.demangle($0, full: full) } ?? plain ?? "<unnamed>"
    isRuntime = FrameClassifier.isRuntimeFunction(mangled: mangled, readable: readable)
    let failure = plain ?? ""
    runtimeFailure =
      failure.hasPrefix(Self.failureMark) ? String(failure.dropFirst(Self.failureMark.utf8.count)) : nil
  }
}

/// The names of an image's functions: each is read and demangled once.
final class FunctionNames {
  private struct Key: Hashable {
    var file: ObjectIdentifier
    var entry: UInt64
  }

  private let full: Bool
  private var byEntry: [Key: FunctionName] = [:]
  private var bySymbol: [Int: FunctionName] = [:]
  private var byName: [String: FunctionName] = [:]

  init(full: Bool) {
    self.full = full
  }

  /// The name of a function or inlined call. All inlined copies of a function share one.
  func function(of node: FunctionTree.Node, in unit: Unit) -> FunctionName {
    let (unit, entry) = node.isInlined ? unit.target(of: node.origin) ?? (unit, node.entry) : (unit, node.entry)
    let key = Key(file: ObjectIdentifier(unit.file), entry: entry)
    if let name = byEntry[key] { return name }
    let found = FunctionEntry(at: entry, in: unit)
    let declaration = found.declarationUnit?.lines?.file(found.declarationFile).map {
      (path: $0.path, line: found.declarationLine)
    }
    let name = FunctionName(mangled: found.linkageName, plain: found.name, declaration: declaration, full: full)
    byEntry[key] = name
    return name
  }

  func function(ofSymbol symbol: Int, in table: SymbolTable) -> FunctionName? {
    if let name = bySymbol[symbol] { return name }
    guard let mangled = table.name(of: symbol), !mangled.isEmpty else { return nil }
    let name = byName[mangled] ?? FunctionName(mangled: mangled, plain: nil, full: full)
    byName[mangled] = name
    bySymbol[symbol] = name
    return name
  }
}

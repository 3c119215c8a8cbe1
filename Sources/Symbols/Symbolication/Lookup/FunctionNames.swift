/// A function's name, made readable once, and not before somebody asks. Whoever has the reader that it is of, has it.
final class FunctionName: @unchecked Sendable {
  /// As the linker knows it.
  let mangled: String?
  /// Set if this is not a function but the reason of a trap.
  let runtimeFailure: String?
  private let full: Bool
  private var readableForm: String?
  private var isRuntimeFunction: Bool?

  private static let failureMark = "Swift runtime failure: "

  /// - Parameter readable: The readable form, if it is known already.
  init(mangled: String, readable: String? = nil, full: Bool) {
    self.mangled = mangled
    self.full = full
    readableForm = readable
    runtimeFailure = mangled.after(Self.failureMark).map(String.init)
  }

  static let unnamed = FunctionName()

  private init() {
    mangled = nil
    runtimeFailure = nil
    full = false
    readableForm = "<unknown function>"
    isRuntimeFunction = false
  }

  var readable: String {
    if let readableForm { return readableForm }
    let readable = mangled.map { Demangler.demangle($0, full: full) } ?? ""
    readableForm = readable
    return readable
  }

  /// The simplified form, if it is known.
  var simplified: String? { full ? nil : readableForm }

  /// Whether it is a runtime's function or a thunk, by its name.
  var isRuntime: Bool {
    if let isRuntimeFunction { return isRuntimeFunction }
    let mangled = mangled ?? ""
    let short = full ? Demangler.demangle(mangled, full: false) : readable
    let isRuntime = FrameClassifier.isRuntimeFunction(mangled: mangled, short: short)
    isRuntimeFunction = isRuntime
    return isRuntime
  }
}

/// The names of an image's functions: each is read and demangled once.
final class FunctionNames {
  /// A function by its entry, in whichever of an image's files, or by its name's place in a symbol table.
  struct Key: Hashable {
    var file: ObjectIdentifier
    var entry: UInt64

    /// Entries lie dozens of bytes apart, so one number is enough for those of nearly all files.
    func hash(into hasher: inout Hasher) {
      hasher.combine(UInt64(UInt(bitPattern: file)) &* 0x9e37_79b9_7f4a_7c15 ^ entry)
    }
  }

  private let full: Bool
  private var byEntry: [Key: FunctionName] = [:]
  private var bySymbol: [Key: FunctionName] = [:]
  /// A function that is inlined in several units has an entry in each, which share one string: by where that stands.
  private var byPlace: [UnsafeRawPointer: FunctionName] = [:]
  private var byName: [String: FunctionName] = [:]

  init(full: Bool) {
    self.full = full
  }

  /// The name that a function's entry gives it.
  func function(at entry: UInt64, in unit: Unit) -> FunctionName {
    let key = Key(file: ObjectIdentifier(unit.file), entry: entry)
    if let name = byEntry[key] { return name }
    let found = FunctionEntry(at: entry, in: unit)
    let name = (found.linkageName ?? found.name).map(function(named:)) ?? .unnamed
    byEntry[key] = name
    return name
  }

  func function(of symbol: SymbolTable.Symbol, in table: SymbolTable) -> FunctionName? {
    let key = Key(file: ObjectIdentifier(table), entry: UInt64(symbol.name))
    if let name = bySymbol[key] { return name }
    guard let mangled = table.name(of: symbol), !mangled.isEmpty else { return nil }
    let name = function(named: mangled)
    bySymbol[key] = name
    return name
  }

  /// A name of an index; nil if the index is damaged.
  func function(_ number: UInt32, in index: IndexFile) -> FunctionName? {
    if number == 0 { return .unnamed }
    let key = Key(file: ObjectIdentifier(index), entry: UInt64(number))
    if let name = byEntry[key] { return name }
    guard let (mangled, readable) = index.name(number) else { return nil }
    let name = FunctionName(mangled: mangled, readable: full ? nil : readable, full: full)
    byEntry[key] = name
    return name
  }

  /// Those whose simplified forms are known.
  var simplified: [FunctionName] { byName.values.filter { $0.simplified != nil } }

  /// The names of symbols whose simplified forms are known.
  func simplified(in tables: SymbolTables) -> [SymbolName: FunctionName] {
    var found: [SymbolName: FunctionName] = [:]
    for (key, name) in bySymbol where name.simplified != nil {
      guard let table = tables.number(of: key.file) else { continue }
      found[SymbolName(table: table, name: UInt32(truncatingIfNeeded: key.entry))] = name
    }
    return found
  }

  private func function(named text: UnsafeRawBufferPointer) -> FunctionName {
    guard let start = text.baseAddress else { return function(named: "") }
    if let name = byPlace[start] { return name }
    let name = function(named: String(decoding: text, as: UTF8.self))
    byPlace[start] = name
    return name
  }

  private func function(named mangled: String) -> FunctionName {
    if let name = byName[mangled] { return name }
    let name = FunctionName(mangled: mangled, full: full)
    byName[mangled] = name
    return name
  }
}

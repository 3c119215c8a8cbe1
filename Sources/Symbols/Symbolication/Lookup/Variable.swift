/// A variable that a program has at a fixed place.
public struct Variable: Sendable, Hashable {
  /// The readable name: of a Swift variable without types and modules.
  public var name: String
  /// How many bytes into the variable an address is.
  public var offset: UInt64
}

extension Variable {
  /// What Swift calls the word that says whether a variable has its first value.
  private static let tokenMark = "one-time initialization token for "

  init?(at address: UInt64, in files: ImageFiles) {
    guard let file = files.file, let symbols = VariableSymbols(file, files.debugFile) else { return nil }
    let address = address &- file.loadBias(baseAddress: files.image.baseAddress)
    guard let (mangled, start) = symbols.variable(at: address) else { return nil }
    let readable = Demangler.demangle(mangled, full: files.options.fullNames)
    name = readable.hasPrefix(Self.tokenMark) ? String(readable.dropFirst(Self.tokenMark.count)) : readable
    offset = address - start
  }
}

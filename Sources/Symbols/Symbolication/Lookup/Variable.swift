/// A variable that a program has at a fixed place.
public struct Variable: Sendable, Hashable {
  /// The readable name. For a Swift variable it has no types and modules.
  public var name: String
  /// The distance in bytes from the start of the variable to the address that was looked up.
  public var offset: UInt64
}

extension Variable {
  /// What Swift calls the word that says whether a variable has its first value.
  private static let tokenMark = "one-time initialization token for "

  static func all(at addresses: Set<UInt64>, in files: ImageFiles) -> [UInt64: Variable] {
    guard let file = files.file, let symbols = VariableSymbols(file, files.debugFile) else { return [:] }
    let bias = file.loadBias(baseAddress: files.image.baseAddress)
    let found = symbols.variables(at: Set(addresses.map { $0 &- bias }))
    return addresses.reduce(into: [:]) { variables, address in
      guard let (mangled, start) = found[address &- bias] else { return }
      let readable = Demangler.demangle(mangled, full: files.options.fullNames)
      let name = readable.hasPrefix(tokenMark) ? String(readable.dropFirst(tokenMark.count)) : readable
      variables[address] = Variable(name: name, offset: address &- bias - start)
    }
  }
}

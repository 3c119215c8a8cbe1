/// The symbol tables of an image: `.symtab`, or what there is in its place.
struct SymbolTables {
  struct Found {
    var table: SymbolTable
    var symbol: SymbolTable.Symbol
  }

  /// Whether functions that are not exported are among the symbols.
  let hasLocalFunctions: Bool
  private let tables: [SymbolTable]

  /// Takes the table of the file or of its debug file; without one, that of MiniDebugInfo beside `.dynsym`.
  init(_ file: ELFFile, _ debugFile: ELFFile?) {
    if let full = SymbolTable(".symtab", of: file) ?? debugFile.flatMap({ SymbolTable(".symtab", of: $0) }) {
      tables = [full]
      hasLocalFunctions = true
      return
    }
    let mini = file.miniDebugInfo.flatMap { SymbolTable(".symtab", of: $0) }
    tables = [mini, SymbolTable(".dynsym", of: file)].compactMap { $0 }
    hasLocalFunctions = mini != nil
  }

  var isEmpty: Bool { tables.isEmpty }

  /// The symbol that holds at an address; where two tables have one, that which begins last.
  func symbol(at address: UInt64) -> Found? {
    var found: Found?
    for table in tables {
      guard let symbol = table.symbol(at: address), symbol.address >= found?.symbol.address ?? 0 else { continue }
      found = Found(table: table, symbol: symbol)
    }
    return found
  }
}

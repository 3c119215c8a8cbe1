/// An ELF file's contents for look-ups, for code that stores such files or reports missing ones.
package struct SymbolFacts {
  let file: ELFFile

  package let path: String
  package let buildID: [UInt8]?
  /// Whether there is DWARF, or a reference to split DWARF.
  package let hasDebugInfo: Bool
  /// Whether there are symbols of functions that are not exported.
  package let hasSymbolTable: Bool

  /// Nil if the file is not an ELF file that can be read.
  package init?(path: String) {
    guard let file = ELFFile(path: path) else { return nil }
    self.file = file
    self.path = path
    buildID = file.buildID
    hasDebugInfo = file.hasDebugInfo
    hasSymbolTable = file.hasSection(".symtab")
  }

  package var buildIDText: String? { buildID.map(BuildID.hex) }

  /// How much information it has; more is better.
  package var rank: Int { (hasDebugInfo ? 2 : 0) + (hasSymbolTable ? 1 : 0) }

  /// The CRC-32 of the whole file, as used in debug links.
  package var checksum: UInt32 { file.checksum }

  /// The name of dwz's file of common entries; nil if there is none.
  package var alternateName: String? { AlternateLink(in: file)?.name }

  /// That file, beside this one or in the system's folders.
  package var alternatePath: String? {
    var search = search
    return search.alternateFile(of: file)?.path
  }

  /// The separate file with this one's debug information, beside it or in the system's folders.
  package var debugPath: String? {
    var search = search
    return search.debugFile(of: file)?.path
  }

  private var search: DebugFileSearch {
    let image = ImageReference(
      name: FilePath.lastComponent(of: path), path: path, buildID: buildID, baseAddress: 0)
    return DebugFileSearch(for: image, .init(), SymbolSources(folders: SymbolFolders([]), debuginfod: nil))
  }

  /// How many units have their debug information in `.dwo` files.
  package var splitUnits: Int { splitIdentities.count }

  /// How many of these a package (`.dwp`) lacks; nil if the file is not a package.
  package func splitUnits(missingIn package: String) -> Int? {
    guard let package = SplitPackage(path: package) else { return nil }
    return splitIdentities.filter { package.file(of: $0) == nil }.count
  }

  private var splitIdentities: [UInt64] {
    guard let dwarf = DWARFFile(file) else { return [] }
    // Clang's module skeletons name a file that way too, and have no code.
    return dwarf.units.compactMap { unit in
      guard unit.splitName.kind != .none, unit.rangeList.kind != .none || unit.lowAddress.kind != .none else {
        return nil
      }
      return unit.splitID
    }
  }
}

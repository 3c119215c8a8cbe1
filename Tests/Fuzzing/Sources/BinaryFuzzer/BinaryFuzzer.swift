import Glibc

@testable import Symbolication

/// Looks addresses up in an ELF file, first in memory, where AddressSanitizer sees each byte read beside it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, let bytes = OwnedBytes(count: count, { memcpy($0, start, count) != nil }),
    let file = ELFFile(bytes, path: "/nonexistent/fuzzed")
  else { return 0 }
  _ = DebugLink(in: file)
  _ = AlternateLink(in: file)
  lookUp(in: file)
  if let inner = file.miniDebugInfo { lookUp(in: inner) }
  readSplit(file)
  return 0
}

private func lookUp(in file: ELFFile) {
  let image = ImageReference(name: "fuzzed", baseAddress: 0 &- file.loadBias(baseAddress: 0))
  let options = SymbolicationOptions(debugDirectories: [])
  var files = ImageFiles(image, options, SymbolSources(folders: SymbolFolders([]), debuginfod: nil))
  files.file = file
  files.debugFile = file
  let reader = ImageReader(files)
  let code = file.codeRange
  let step = max((code.upperBound - code.lowerBound) / 48, 1)
  var address = code.lowerBound
  for _ in 0..<48 {
    _ = reader.lookUp(address, .returnAddress)
    address &+= step
  }
  // Units do not keep their file.
  guard let dwarf = DWARFFile(file) else { return }
  withExtendedLifetime(dwarf) {
    for unit in dwarf.units.prefix(8) {
      guard let low = unit.address(unit.lowAddress) else { continue }
      for offset in UInt64(0)..<8 {
        _ = reader.lookUp(low &+ offset &* 5, .programCounter)
        namePointers(at: low &+ offset &* 5, in: file, reader)
      }
    }
  }
}

/// Asks for a name of every register, as if it had been used at an address.
private func namePointers(at address: UInt64, in file: ELFFile, _ reader: ImageReader) {
  let budget = EntryBudget()
  guard let processor = Processor(machine: file.machine), let function = reader.function(at: address, budget),
    var names = PointerNames(function, file, processor, budget)
  else { return }
  for register in 0..<RegisterNumber(processor.registerCount) {
    guard let (named, _) = names.pointer(in: register, at: address), let pointee = named.pointee else { continue }
    for offset in [0, 24, .max] as [UInt64] { _ = names.types.path(behind: pointee, at: offset) }
  }
}

/// Reads the file as a `.dwo`, and as a package of them.
private func readSplit(_ file: ELFFile) {
  let package = SplitPackage(file)
  let loose = DWARFFile(file, isSplit: true)
  let identities = file.section(".debug_cu_index")
  var cursor = ByteCursor(identities, at: 16)
  let packed = (0..<min(identities.count / 8, 16)).compactMap { _ in package?.file(of: cursor.u64()) }
  for dwarf in [loose].compactMap({ $0 }) + packed {
    withExtendedLifetime(dwarf) {
      for unit in dwarf.units.prefix(8) {
        _ = unit.functions
        _ = unit.lines
      }
    }
  }
}

/// Changes one section where it stands: what changes the places of others mostly gives files that nobody reads far.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  guard seed % 8 != 0, let section = sections(of: UnsafeRawBufferPointer(start: data, count: count), seed) else {
    return mutateAnyhow(data, count, limit)
  }
  let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: section.count)
  defer { copy.deallocate() }
  memcpy(copy, data + section.lowerBound, section.count)
  let made = mutateAnyhow(copy, section.count, section.count)
  memcpy(data + section.lowerBound, copy, made)
  return count
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateAnyhow(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// The place of one of the sections, by the section headers of a 64-bit file.
private func sections(of file: UnsafeRawBufferPointer, _ seed: CUnsignedInt) -> Range<Int>? {
  guard file.count >= MemoryLayout<Elf64_Ehdr>.size else { return nil }
  let header = file.loadUnaligned(as: Elf64_Ehdr.self)
  guard header.e_shnum > 0, header.e_shoff < UInt64(file.count) else { return nil }
  let number = Int(seed / 8) % Int(header.e_shnum)
  let place = Int(header.e_shoff) + number * MemoryLayout<Elf64_Shdr>.size
  guard place + MemoryLayout<Elf64_Shdr>.size <= file.count else { return nil }
  let section = file.loadUnaligned(fromByteOffset: place, as: Elf64_Shdr.self)
  guard section.sh_type != 8, section.sh_size > 0, section.sh_size <= UInt64(file.count),
    section.sh_offset <= UInt64(file.count) - section.sh_size
  else { return nil }
  return Int(section.sh_offset)..<Int(section.sh_offset + section.sh_size)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<CommandLineArguments>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias CommandLineArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// SwiftPM makes this the program's `main`.
@_cdecl("BinaryFuzzer_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments, testOneInput)
}

import CLibdw
import Glibc
import Symbolication

/// The binaries of a core as libdw has them: the files that were found and checked, and the vDSO out of the core's
/// memory. Left to itself, libdw would open whatever paths stand in the core.
final class CoreModules {
  let dwfl: OpaquePointer
  private let images: [CoreImage]
  private let callbacks: UnsafeMutablePointer<Dwfl_Callbacks>
  /// What libdw's handle points to, one for each module.
  private var sources: [ModuleSource] = []

  /// Nil if libdw gives no handle.
  init?(_ memory: CoreMemory, _ images: [CoreImage], _ search: ImageFileSearch) {
    self.images = images
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: Dwfl_Callbacks())
    callbacks.pointee.find_elf = findKernelImage
    callbacks.pointee.find_debuginfo = findDebugFile
    _ = elf_version(UInt32(EV_CURRENT))
    guard let dwfl = dwfl_begin(callbacks) else {
      callbacks.deallocate()
      return nil
    }
    self.dwfl = dwfl
    report(memory, search)
  }

  deinit {
    dwfl_end(dwfl)
    callbacks.deallocate()
  }

  private func report(_ memory: CoreMemory, _ search: ImageFileSearch) {
    dwfl_report_begin(dwfl)
    for image in images where !image.isKernelProvided {
      guard let path = search.path(of: image.reference), let descriptor = ImageFileSearch.open(path) else { continue }
      // libdw closes the descriptor, but not if it fails.
      guard let module = dwfl_report_elf(dwfl, image.name, path, descriptor, image.base, false) else {
        close(descriptor)
        continue
      }
      attach(.file(image.reference, search), to: module)
    }
    if let image = images.first(where: \.isKernelProvided), let vdso = VdsoImage(image, memory),
      let module = dwfl_report_module(dwfl, "[vdso]", image.base, image.end)
    {
      attach(.vdso(vdso), to: module)
    }
    dwfl_report_end(dwfl, nil, nil)
  }

  private func attach(_ origin: ModuleSource.Origin, to module: OpaquePointer) {
    var data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard dwfl_module_info(module, &data, nil, nil, nil, nil, nil, nil) != nil else { return }
    let source = ModuleSource(origin)
    sources.append(source)
    data?.pointee = Unmanaged.passUnretained(source).toOpaque()
  }

  /// Whether there is a file of what was mapped at an address.
  func holds(_ address: UInt64) -> Bool { dwfl_addrmodule(dwfl, address) != nil }

  func image(at address: UInt64) -> CoreImage? { images.first { $0.base <= address && address < $0.end } }

  /// Why a stack was not followed beyond a frame, in words; `failure` is the unwinder's own message, if there is one.
  func reason(at frame: CoreUnwinder.Frame?, _ failure: String?) -> String {
    guard let frame else { return failure ?? "no frame at all" }
    guard let image = image(at: frame.target) else { return "no binary at \(hex(frame.address))" }
    if !holds(frame.target) { return "the file of \(image.name), which contains the unwind tables, was not found" }
    return failure ?? "no unwind tables at \(hex(frame.address))"
  }

  private func hex(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

  /// What the unwind tables of the file at an address say of it.
  func rules(at address: UInt64) -> FrameRules? {
    guard let module = dwfl_addrmodule(dwfl, address) else { return nil }
    var bias: Dwarf_Addr = 0
    if let tables = dwfl_module_eh_cfi(module, &bias), let rules = FrameRules(tables, at: address &- bias) {
      return rules
    }
    return dwfl_module_dwarf_cfi(module, &bias).flatMap { FrameRules($0, at: address &- bias) }
  }

  /// Bytes of the file that was mapped at an address: cores leave code and constants out.
  func load<Value: FixedWidthInteger>(at address: UInt64, as type: Value.Type = Value.self) -> Value? {
    guard let module = dwfl_addrmodule(dwfl, address) else { return nil }
    let size = MemoryLayout<Value>.size
    var offset = address
    var bias: Dwarf_Addr = 0
    guard let section = dwfl_module_address_section(module, &offset, &bias), let data = elf_rawdata(section, nil),
      let start = data.pointee.d_buf, data.pointee.d_size >= size, offset <= UInt64(data.pointee.d_size - size)
    else { return nil }
    return Value(littleEndian: start.loadUnaligned(fromByteOffset: Int(offset), as: type))
  }

  /// The bytes of that file from an address on, as many as its section has and no more than `count`.
  func bytes(at address: UInt64, _ count: Int) -> [UInt8] {
    var offset = address
    var bias: Dwarf_Addr = 0
    guard let module = dwfl_addrmodule(dwfl, address),
      let section = dwfl_module_address_section(module, &offset, &bias), let data = elf_rawdata(section, nil),
      let start = data.pointee.d_buf, offset < UInt64(data.pointee.d_size)
    else { return [] }
    let size = min(max(count, 0), data.pointee.d_size - Int(offset))
    return Array(UnsafeRawBufferPointer(start: start + Int(offset), count: size))
  }

  /// Where a function begins that the unwind tables have at an address, up to where the next one does.
  func unwoundFunction(at address: UInt64) -> Range<UInt64>? {
    // Its version, and that all numbers have 32 bits, as linkers write it.
    guard let header = unwindHeader(at: address), bytes(at: header, 4) == [1, 0x1b, 0x03, 0x3b],
      let count: UInt32 = load(at: header &+ 8)
    else { return nil }
    func start(_ index: UInt64) -> UInt64? {
      load(at: header &+ 12 &+ index &* 8, as: Int32.self).map { header &+ UInt64(bitPattern: Int64($0)) }
    }
    var low: UInt64 = 0
    var high = UInt64(count)
    while low < high {
      let middle = (low + high) / 2
      guard let start = start(middle) else { return nil }
      if start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, let first = start(low - 1), let end = low < count ? start(low) : image(at: address)?.end,
      first < end
    else { return nil }
    return first..<end
  }

  /// Where the sorted table of the unwind tables of the binary at an address begins.
  private func unwindHeader(at address: UInt64) -> UInt64? {
    var bias: Dwarf_Addr = 0
    guard let module = dwfl_addrmodule(dwfl, address), let elf = dwfl_module_getelf(module, &bias) else { return nil }
    var count = 0
    guard elf_getphdrnum(elf, &count) == 0 else { return nil }
    for index in 0..<Int32(clamping: count) {
      var header = GElf_Phdr()
      guard gelf_getphdr(elf, index, &header) != nil else { return nil }
      if header.p_type == UInt32(PT_GNU_EH_FRAME) { return header.p_vaddr &+ bias }
    }
    return nil
  }

  /// Where functions of a binary are, by their symbols' names without what makes them an alias or a version
  /// (`__pthread_rwlock_wrlock@GLIBC_2.2.5`).
  func functions(named isWanted: (String) -> Bool, in image: CoreImage) -> [(name: String, code: Range<UInt64>)] {
    guard let module = dwfl_addrmodule(dwfl, image.base) else { return [] }
    let end = ContinuousClock.now + Self.timeOfLook
    var found: [(name: String, code: Range<UInt64>)] = []
    for index in 0..<max(dwfl_module_getsymtab(module), 0) {
      if index % 4096 == 0, ContinuousClock.now >= end { break }
      var symbol = GElf_Sym()
      var address: GElf_Addr = 0
      guard let text = dwfl_module_getsym_info(module, index, &symbol, &address, nil, nil, nil),
        symbol.st_shndx != UInt16(SHN_UNDEF), symbol.st_info & 0xf == UInt8(STT_FUNC), symbol.st_size > 0,
        image.base <= address, address < image.end, symbol.st_size <= image.end - address
      else { continue }
      let name = String(String(cString: text).drop { $0 == "_" }.prefix { $0 != "@" })
      if isWanted(name) { found.append((name, address..<address + symbol.st_size)) }
    }
    return found
  }

  /// The look for symbols reads every binary's table; a core may name any files of this machine, and any number.
  private static let timeOfLook = Duration.seconds(5)

  /// Where symbols of these names were, in the first binary that has one of them.
  func addresses(of names: Set<String>) -> [String: UInt64] {
    let end = ContinuousClock.now + Self.timeOfLook
    var known: Set<String> = []
    for image in images where !image.isKernelProvided && known.insert(image.path).inserted {
      guard ContinuousClock.now < end else { break }
      guard let module = dwfl_addrmodule(dwfl, image.base) else { continue }
      var found: [String: UInt64] = [:]
      for index in 0..<max(dwfl_module_getsymtab(module), 0) {
        var symbol = GElf_Sym()
        var address: GElf_Addr = 0
        guard let name = dwfl_module_getsym_info(module, index, &symbol, &address, nil, nil, nil),
          symbol.st_shndx != UInt16(SHN_UNDEF), name[0] == CChar(bitPattern: UInt8(ascii: "_"))
        else { continue }
        let text = String(cString: name)
        if names.contains(text) { found[text] = address }
      }
      if !found.isEmpty { return found }
    }
    return [:]
  }
}

/// Where libdw's callbacks get the files of a module from.
private final class ModuleSource {
  enum Origin {
    case file(ImageReference, ImageFileSearch)
    case vdso(VdsoImage)
  }
  let origin: Origin

  init(_ origin: Origin) { self.origin = origin }

  static func of(_ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Origin? {
    data?.pointee.map { Unmanaged<ModuleSource>.fromOpaque($0).takeUnretainedValue().origin }
  }
}

/// The vDSO's own file, which the core has whole.
private final class VdsoImage {
  private let bytes: UnsafeMutableRawBufferPointer

  init?(_ image: CoreImage, _ memory: CoreMemory) {
    let contents = memory.read(image.base, Int(min(image.end - image.base, 1 << 20)))
    guard contents.count >= 64 else { return nil }
    bytes = .allocate(byteCount: contents.count, alignment: 16)
    bytes.copyBytes(from: contents)
  }

  deinit { bytes.deallocate() }

  func open() -> OpaquePointer? { elf_memory(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) }
}

private func findKernelImage(
  _: OpaquePointer?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: UnsafePointer<CChar>?, _: Dwarf_Addr,
  _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ elf: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  if case .vdso(let image) = ModuleSource.of(data) { elf?.pointee = image.open() }
  return -1
}

/// A stripped file may have left its unwind tables in the debug file. Of others, none is opened.
private func findDebugFile(
  _: OpaquePointer?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: UnsafePointer<CChar>?, _: Dwarf_Addr,
  _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: GElf_Word,
  _ name: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard case .file(let image, let search) = ModuleSource.of(data), let path = search.pathOfUnwindTables(of: image),
    let descriptor = ImageFileSearch.open(path)
  else { return -1 }
  // libdw frees it.
  name?.pointee = strdup(path)
  return descriptor
}

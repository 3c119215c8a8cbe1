import CLibdw
import Glibc
import Symbolication

/// The binaries of a core as libdw has them: the files that were found and checked, and the vDSO out of the core's
/// memory. Left to itself, libdw would open whatever paths stand in the core.
final class CoreModules {
  let dwfl: OpaquePointer
  private let images: [CoreImage]
  private let callbacks: UnsafeMutablePointer<Dwfl_Callbacks>
  private let vdso: VdsoImage?

  /// Nil if libdw gives no handle.
  init?(_ memory: CoreMemory, _ images: [CoreImage], _ search: ImageFileSearch) {
    self.images = images
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: Dwfl_Callbacks())
    // Of files, only those are read that are given here; of debug files, none.
    callbacks.pointee.find_elf = findKernelImage
    callbacks.pointee.find_debuginfo = { _, _, _, _, _, _, _, _ in -1 }
    _ = elf_version(UInt32(EV_CURRENT))
    guard let dwfl = dwfl_begin(callbacks) else {
      callbacks.deallocate()
      return nil
    }
    self.dwfl = dwfl
    vdso = images.first(where: \.isKernelProvided).flatMap { VdsoImage($0, memory) }
    report(search)
  }

  deinit {
    dwfl_end(dwfl)
    callbacks.deallocate()
  }

  private func report(_ search: ImageFileSearch) {
    dwfl_report_begin(dwfl)
    for image in images where !image.isKernelProvided {
      guard let path = search.path(of: image.reference), let descriptor = ImageFileSearch.open(path) else { continue }
      // libdw closes the descriptor, but not where it fails.
      if dwfl_report_elf(dwfl, image.name, path, descriptor, image.base, false) == nil { close(descriptor) }
    }
    if let vdso, let module = dwfl_report_module(dwfl, "[vdso]", vdso.image.base, vdso.image.end) {
      var data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
      if dwfl_module_info(module, &data, nil, nil, nil, nil, nil, nil) != nil {
        data?.pointee = Unmanaged.passUnretained(vdso).toOpaque()
      }
    }
    dwfl_report_end(dwfl, nil, nil)
  }

  /// Whether there is a file of what was mapped at an address.
  func holds(_ address: UInt64) -> Bool { dwfl_addrmodule(dwfl, address) != nil }

  func image(at address: UInt64) -> CoreImage? { images.first { $0.base <= address && address < $0.end } }

  /// Why a stack was not followed beyond a frame, in words; `failure` is what the unwinder said, if it said something.
  func reason(at frame: CoreUnwinder.Frame?, _ failure: String?) -> String {
    guard let frame else { return failure ?? "no frame at all" }
    guard let image = image(at: frame.target) else { return "no binary at \(hex(frame.address))" }
    if !holds(frame.target) { return "no file of \(image.name) to read its unwind tables from" }
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

  /// The name of the function at an address, as the symbols of its binary have it.
  func function(at address: UInt64) -> String? {
    dwfl_addrmodule(dwfl, address).flatMap { dwfl_module_addrname($0, address) }.map { String(cString: $0) }
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

/// The vDSO's own file, which the core has whole.
private final class VdsoImage {
  let image: CoreImage
  private let bytes: UnsafeMutableRawBufferPointer

  init?(_ image: CoreImage, _ memory: CoreMemory) {
    let contents = memory.read(image.base, Int(min(image.end - image.base, 1 << 20)))
    guard contents.count >= 64 else { return nil }
    self.image = image
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
  guard let pointer = data?.pointee else { return -1 }
  elf?.pointee = Unmanaged<VdsoImage>.fromOpaque(pointer).takeUnretainedValue().open()
  return -1
}

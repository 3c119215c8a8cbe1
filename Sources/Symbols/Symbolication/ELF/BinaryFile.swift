import CLibdw
import Glibc
import LinuxCalls

/// An executable, a library or a debug file that a user named. It is checked at once, so that errors show early.
public struct BinaryFile: Sendable, Hashable {
  /// Why a file cannot be read.
  public struct Failure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Kind: Sendable, Hashable {
      /// There is no such file, it cannot be opened, or it is not a regular file.
      case noInput
      /// The file exists, but is not a linked ELF file, or is not complete.
      case notABinary
      /// Reading failed.
      case inputOutput
    }

    /// The kind of failure.
    public var kind: Kind
    /// The error, in words and on one line, without the file's name.
    public var what: String
  }

  /// The given path.
  public let path: String
  /// The GNU build ID, if it has one.
  public let buildID: [UInt8]?
  /// The build ID in hexadecimal.
  public var buildIDText: String? { buildID.map(BuildID.hex) }
  /// The processor, from the ELF header (`e_machine`).
  public let machine: UInt16
  /// The address that the linker gave to the file's ELF header: 0 if the file can be loaded anywhere.
  public let linkedBase: UInt64

  /// Whether the file contains code from Swift's compiler.
  public let hasSwiftCode: Bool

  /// Opens and checks a file, and closes it again.
  ///
  /// - Throws: `Failure` if it is not a regular file, or not a complete, linked, little-endian ELF file.
  public init(path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.openingFailed(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.readingFailed(errno) }
    try Self.requireRegularFile(status.st_mode)
    try Self.checkHeader(descriptor, size: UInt64(status.st_size))
    guard let file = ELFFile(path: path) else { throw Failure(kind: .notABinary, what: "a damaged ELF file") }
    self.path = path
    buildID = file.buildID
    machine = file.machine
    hasSwiftCode = file.hasSection("swift5_typeref") || file.hasSection("swift5_reflstr")
    linkedBase = 0 &- file.loadBias(baseAddress: 0)
  }

  /// Describes the file as an image whose ELF header is mapped at `baseAddress`. The default is the linked address.
  /// Then the addresses of the image are equal to the addresses in the file.
  public func image(at baseAddress: UInt64? = nil) -> ImageReference {
    ImageReference(
      name: FilePath.lastComponent(of: path), path: path, buildID: buildID, baseAddress: baseAddress ?? linkedBase)
  }

  private static func requireRegularFile(_ mode: mode_t) throws(Failure) {
    let what: String
    switch mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: what = "a folder, not a file"
    case S_IFIFO: what = "a pipe, not a file"
    case S_IFSOCK: what = "a socket, not a file"
    default: what = "a device, not a file"
    }
    throw Failure(kind: .noInput, what: what)
  }

  private static func checkHeader(_ descriptor: Int32, size: UInt64) throws(Failure) {
    var header = Elf64_Ehdr()
    let count = withUnsafeMutableBytes(of: &header) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw readingFailed(errno) }
    guard count > 0 else { throw Failure(kind: .notABinary, what: "an empty file, not an ELF file") }
    let mark = withUnsafeBytes(of: &header) { Array($0.prefix(4)) }
    guard count >= 4, mark == [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")] else {
      throw Failure(kind: .notABinary, what: "not an ELF file")
    }
    guard count == MemoryLayout<Elf64_Ehdr>.size else { throw truncated }
    guard header.e_ident.5 == UInt8(ELFDATA2LSB) else {
      throw Failure(kind: .notABinary, what: "an ELF file for big-endian machines, which are not supported")
    }
    switch header.e_type {
    case UInt16(ET_EXEC), UInt16(ET_DYN): break
    case UInt16(ET_REL):
      throw Failure(kind: .notABinary, what: "an object file, which has no final addresses before linking")
    case UInt16(ET_CORE): throw Failure(kind: .notABinary, what: "a core file, not an executable or a library")
    default: throw Failure(kind: .notABinary, what: "an ELF file of an unknown kind")
    }
    guard header.e_ident.4 == UInt8(ELFCLASS64) else { return }
    let (end, overflow) = header.e_shoff.addingReportingOverflow(
      UInt64(header.e_shnum) * UInt64(header.e_shentsize))
    guard !overflow, end <= size else { throw truncated }
  }

  private static let truncated = Failure(kind: .notABinary, what: "a truncated ELF file")

  private static func openingFailed(_ code: Int32) -> Failure {
    switch code {
    case ENOENT, ENOTDIR: Failure(kind: .noInput, what: "no such file")
    case ENXIO: Failure(kind: .noInput, what: "not a file, but a socket, or a device that has no driver")
    default: Failure(kind: .noInput, what: "cannot be opened: \(description(of: code))")
    }
  }

  private static func readingFailed(_ code: Int32) -> Failure {
    Failure(kind: .inputOutput, what: "cannot be read: \(description(of: code))")
  }

  private static func description(of code: Int32) -> String {
    errorText(code)
  }
}

import CLibdw

/// Takes signatures out of return addresses of AArch64 (pointer authentication): they stand in the bits above those
/// that addresses of a process have.
struct SignedAddresses {
  /// How many bits Linux can be built to give the addresses of a process.
  private static let widths: [UInt64] = [52, 48, 47, 42, 39, 36]
  private let code: Range<UInt64>

  /// Nil for files of machines that sign nothing.
  init?(_ file: ELFFile) {
    guard file.machine == UInt16(EM_AARCH64) else { return nil }
    code = file.codeRange
  }

  /// The file's own address for one of a process: what remains without a signature is taken if only that is code.
  func fileAddress(of address: UInt64, bias: UInt64) -> UInt64 {
    let whole = address &- bias
    guard !code.contains(whole), whole != code.upperBound else { return whole }
    let bare = Self.widths.lazy.map { (address & (1 << $0 - 1)) &- bias }
    return bare.first { code.contains($0) } ?? whole
  }
}

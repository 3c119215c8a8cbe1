import CLibdw

/// Removes signatures from return addresses of AArch64 (pointer authentication). Signatures are in the bits that
/// addresses of a process do not use.
public struct SignedAddresses {
  /// How many bits Linux can be built to give the addresses of a process.
  private static let widths: [UInt64] = [52, 48, 47, 42, 39, 36]
  private let code: Range<UInt64>

  /// Nil for files of processors that do not sign addresses.
  init?(_ file: ELFFile) {
    guard Self.areUsed(by: file.machine) else { return nil }
    code = file.codeRange
  }

  /// The file's own address for one of a process: what remains without a signature is taken if only that is code.
  func fileAddress(of address: UInt64, bias: UInt64) -> UInt64 {
    let whole = address &- bias
    guard !code.contains(whole), whole != code.upperBound else { return whole }
    let bare = Self.withoutSignature(address).lazy.map { $0 &- bias }
    return bare.first { code.contains($0) } ?? whole
  }

  /// Whether a processor signs addresses; `machine` is the `e_machine` of an ELF header.
  public static func areUsed(by machine: UInt16) -> Bool { machine == UInt16(EM_AARCH64) }

  /// Removes the signature from `address`. The function does not know how many bits the addresses of the process have.
  /// So it returns one candidate for each number of bits that Linux supports. A candidate is that many of the lowest
  /// bits of `address`.
  ///
  /// - Parameter highest: An address of the process. The function leaves out each number of bits that is too small for
  ///   this address.
  public static func withoutSignature(_ address: UInt64, of highest: UInt64 = 0) -> [UInt64] {
    widths.lazy.filter { highest < 1 << $0 }.map { address & (1 << $0 - 1) }
  }
}

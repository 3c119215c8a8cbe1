import CLibdw

/// How a processor's registers stand in a core: the kernel's `elf_gregset_t`.
enum CoreMachine {
  case x86, arm

  init?(_ machine: UInt16) {
    switch Int32(machine) {
    case EM_X86_64: self = .x86
    case EM_AARCH64: self = .arm
    default: return nil
    }
  }

  /// That of this program, and of each program that it can look at.
  static var own: CoreMachine {
    #if arch(arm64)
      .arm
    #else
      .x86
    #endif
  }

  /// The header of a file for it.
  var header: Elf64_Ehdr {
    var header = Elf64_Ehdr()
    header.e_ident.0 = 0x7f
    (header.e_ident.1, header.e_ident.2, header.e_ident.3) = (0x45, 0x4c, 0x46)
    header.e_ident.4 = UInt8(ELFCLASS64)
    header.e_ident.5 = UInt8(ELFDATA2LSB)
    header.e_ident.6 = UInt8(EV_CURRENT)
    header.e_type = UInt16(ET_CORE)
    header.e_machine = UInt16(self == .x86 ? EM_X86_64 : EM_AARCH64)
    header.e_version = UInt32(EV_CURRENT)
    header.e_ehsize = UInt16(MemoryLayout<Elf64_Ehdr>.size)
    return header
  }

  /// The name that reports have for it.
  var architecture: String { self == .x86 ? "x86_64" : "arm64" }

  private static let x86Names = [
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi", "orig_rax",
    "rip", "cs", "rflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs",
  ]
  /// As a report lists them; what a report does not have is left out.
  private static let x86Order = [
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip",
    "rflags", "cs", "fs", "gs",
  ]

  var registerCount: Int { self == .x86 ? Self.x86Names.count : 34 }

  /// Names and values as a report lists them.
  func named(_ registers: [UInt64]) -> [(name: String, value: UInt64)] {
    switch self {
    case .x86:
      return Self.x86Order.compactMap { name in Self.x86Names.firstIndex(of: name).map { (name, registers[$0]) } }
    case .arm:
      let names = (0...30).map { "x\($0)" } + ["sp", "pc", "pstate"]
      return Array(zip(names, registers))
    }
  }

  func programCounter(_ registers: [UInt64]) -> UInt64 { registers[self == .x86 ? 16 : 32] }
  func stackPointer(_ registers: [UInt64]) -> UInt64 { registers[self == .x86 ? 19 : 31] }

  /// The registers of x86-64 in the order of DWARF's numbers, from 0 on.
  static func x86UnwindRegisters(_ registers: [UInt64]) -> [UInt64] {
    [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16].map { registers[$0] }
  }
}

import CLibdw

/// A program, library or other mapped file, as a crash report names it.
public struct ImageReference: Sendable, Hashable {
  /// The file's name, for example `libswiftCore.so`.
  public var name: String
  /// Where the file was when the process ran; only regular files are opened.
  public var path: String?
  /// The GNU build ID. Without it a file cannot be told from another build's.
  public var buildID: [UInt8]?
  /// Where the file's ELF header was mapped. 0 makes addresses count from there: in what can be loaded anywhere, those
  /// are the file's own.
  public var baseAddress: UInt64
  /// The first address after the mapped code, if it is known.
  public var endOfText: UInt64?
  /// The processor that its code is for, as an ELF header has it (`e_machine`). If it is known, no file for another
  /// processor stands for the image.
  public var machine: UInt16?

  /// The processor of a report's `architecture`, as an ELF header has it.
  public static func machine(of architecture: String) -> UInt16? {
    switch architecture {
    case "x86_64": UInt16(EM_X86_64)
    case "arm64", "aarch64": UInt16(EM_AARCH64)
    default: nil
    }
  }

  /// Names an image; only its name and its base address must be known.
  public init(
    name: String, path: String? = nil, buildID: [UInt8]? = nil, baseAddress: UInt64, endOfText: UInt64? = nil,
    machine: UInt16? = nil
  ) {
    self.name = name
    self.path = path
    self.buildID = buildID
    self.baseAddress = baseAddress
    self.endOfText = endOfText
    self.machine = machine
  }
}

/// How an address was found, and so which instruction it stands for.
public enum AddressKind: Sendable, Hashable {
  /// The instruction that was being executed.
  case programCounter
  /// The instruction behind a call: the call itself is looked up, at the address before.
  case returnAddress
  /// Where an asynchronous function goes on; looked up as it is.
  case asyncResumePoint
}

/// A place in source code.
public struct SourceLocation: Sendable, Hashable {
  /// The path that the compiler wrote; absolute where it knew the directory.
  public var path: String
  /// Counted from 1; 0 where nothing at all is known but the file.
  public var line: Int
  /// Counted from 1; 0 where the compiler gave none.
  public var column: Int
  /// The compiler gave no line for the address itself: this is the nearest one of the same function.
  public var isApproximate: Bool

  /// Makes a location; `column` 0 stands for an unknown one.
  public init(path: String, line: Int, column: Int, isApproximate: Bool = false) {
    self.path = path
    self.line = line
    self.column = column
    self.isApproximate = isApproximate
  }
}

/// One function at an address: the outermost was really called, the others were inlined into it.
public struct SymbolicatedCall: Sendable, Hashable {
  /// The name as the linker knows it; for C and for what has no such name, the plain one.
  public var mangledName: String?
  /// The name to show: demangled, simplified unless full names were asked for.
  public var name: String
  /// Bytes from the start of the symbol to the address; nil for an inlined call, and where the start is unknown.
  public var offset: Int?
  /// Where the function begins, as the file has addresses; nil for an inlined call in several parts, and where it is
  /// unknown.
  public var start: UInt64?
  /// The line executed there or, for all but the innermost, the line of the call.
  public var location: SourceLocation?
  /// What the compiler wrote, its line 0 for "none" included, where `location` has the nearest line in its place.
  public var recordedLocation: SourceLocation?
  /// Whether the call was inlined into the next one.
  public var isInlined: Bool
  /// Whether it is of a language runtime or the system, or a thunk that the compiler made: not the program's own code.
  public var isRuntime: Bool

  /// Makes a call.
  public init(
    mangledName: String?, name: String, offset: Int? = nil, start: UInt64? = nil, location: SourceLocation? = nil,
    recordedLocation: SourceLocation? = nil, isInlined: Bool = false, isRuntime: Bool = false
  ) {
    self.mangledName = mangledName
    self.name = name
    self.offset = offset
    self.start = start
    self.location = location
    self.recordedLocation = recordedLocation ?? location
    self.isInlined = isInlined
    self.isRuntime = isRuntime
  }
}

/// What is known of one address.
public struct Lookup: Sendable, Hashable {
  /// The chain of calls, innermost first; empty if nothing is known.
  public var calls: [SymbolicatedCall]
  /// Why Swift code trapped there, in the compiler's words ("Index out of range"), where the address says so.
  public var runtimeFailure: String?

  /// Makes a result.
  public init(calls: [SymbolicatedCall] = [], runtimeFailure: String? = nil) {
    self.calls = calls
    self.runtimeFailure = runtimeFailure
  }
}

/// What functions, files and lines were taken from.
public enum DebugInfoKind: Sendable, Hashable {
  /// DWARF in this file, the image's own or a separate one.
  case dwarf(path: String)
  /// Function names only, from `.symtab`.
  case symbolTable
  /// Names of exported functions only, from `.dynsym`.
  case dynamicSymbols
  /// Nothing.
  case none
}

/// Whether an image's file was found, and what it holds.
public enum ImageStatus: Sendable, Hashable {
  /// The file, of the right build wherever the report says which; every place that was searched for DWARF in vain.
  case found(path: String, debugInfo: DebugInfoKind, searched: [String] = [])
  /// No file; every place that was searched.
  case missing(buildID: String?, searched: [String])
  /// Only a file of another build, which was not used.
  case mismatched(path: String, expected: String, found: String?, searched: [String])
}

/// How to symbolicate.
public struct SymbolicationOptions: Sendable, Hashable {
  /// Where to look for debug files and for images: as `.build-id/xx/yyyy.debug` trees, by file name, and last by build
  /// ID in files of any name, also in folders up to four levels below and among at most 10,000 files and folders.
  public var symbolDirectories: [String]
  /// The system's folders of debug files, searched after `symbolDirectories`.
  public var debugDirectories: [String]
  /// Whether names have modules, argument types and compiler suffixes.
  public var fullNames: Bool
  /// Whether `SymbolicatedCall.isRuntime` is wanted; without it the image's name alone tells.
  public var classifiesFunctions: Bool
  /// Whether debuginfod servers are asked for what is found nowhere else; nil for never.
  public var debuginfod: DebuginfodOptions?
  /// Where indexes are kept of what was decoded, so that it is decoded but once; nil for nowhere.
  public var index: IndexOptions?

  /// The system's folders and simplified names by default.
  public init(
    symbolDirectories: [String] = [], debugDirectories: [String] = ["/usr/lib/debug"], fullNames: Bool = false,
    classifiesFunctions: Bool = true, debuginfod: DebuginfodOptions? = nil, index: IndexOptions? = nil
  ) {
    self.symbolDirectories = symbolDirectories
    self.debugDirectories = debugDirectories
    self.fullNames = fullNames
    self.classifiesFunctions = classifiesFunctions
    self.debuginfod = debuginfod
    self.index = index
  }
}

/// Where indexes of debug information are kept, and how many.
public struct IndexOptions: Sendable, Hashable {
  /// The folder: an absolute path. It is made, for its user alone, when the first index is written; one that is a link,
  /// another user's or for others to write is not used.
  public var directory: String
  /// Bytes that all indexes may have together. Those that were not used the longest are removed.
  public var sizeLimit: UInt64

  /// Names a folder; at most a gibibyte by default.
  public init(directory: String, sizeLimit: UInt64 = 1 << 30) {
    self.directory = directory
    self.sizeLimit = sizeLimit
  }
}

import CLibdw

/// A program, library or other mapped file in a crash report.
public struct ImageReference: Sendable, Hashable {
  /// The file's name, for example `libswiftCore.so`.
  public var name: String
  /// The path of the file when the process ran. Only regular files are opened.
  public var path: String?
  /// The GNU build ID. Without it, a file of another build cannot be recognised.
  public var buildID: [UInt8]?
  /// The address at which the file's ELF header was mapped. If this is 0, each address to look up is its distance from
  /// the header, as in a file that can be loaded anywhere.
  public var baseAddress: UInt64
  /// The first address after the mapped code, if it is known.
  public var endOfText: UInt64?
  /// The processor of its code, as in an ELF header (`e_machine`). If it is known, files for other processors are not
  /// used.
  public var machine: UInt16?

  /// Converts the `architecture` of a report to the `e_machine` of an ELF header; nil if the architecture is unknown.
  public static func machine(of architecture: String) -> UInt16? {
    switch architecture {
    case "x86_64": UInt16(EM_X86_64)
    case "arm64", "aarch64": UInt16(EM_AARCH64)
    default: nil
    }
  }

  /// Describes an image. Only its name and its base address are required.
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

/// The kind of an address. The kind decides which instruction is looked up.
public enum AddressKind: Sendable, Hashable {
  /// The instruction that was being executed.
  case programCounter
  /// The instruction after a call. The look-up uses the address before it, which belongs to the call.
  case returnAddress
  /// The place where an asynchronous function continues. It is looked up unchanged.
  case asyncResumePoint
}

/// A place in source code.
public struct SourceLocation: Sendable, Hashable {
  /// The path that the compiler wrote; absolute if it knew the directory.
  public var path: String
  /// The line, from 1; 0 if only the file is known.
  public var line: Int
  /// The column, from 1; 0 if the compiler gave none.
  public var column: Int
  /// Whether this is only the nearest line of the same function, because the compiler gave no line for the address.
  public var isApproximate: Bool

  /// Makes a location; `column` 0 means unknown.
  public init(path: String, line: Int, column: Int, isApproximate: Bool = false) {
    self.path = path
    self.line = line
    self.column = column
    self.isApproximate = isApproximate
  }
}

/// One function at an address. The outermost function was called, and the others were inlined into it.
public struct SymbolicatedCall: Sendable, Hashable {
  /// The linker's name. For C, and for a function without a linker's name, this is the plain name.
  public var mangledName: String?
  /// The name to show: demangled, and simplified unless full names are on.
  public var name: String
  /// The distance in bytes from the start of the symbol to the address; nil for an inlined call, and if the start is
  /// unknown.
  public var offset: Int?
  /// The address in the file at which the function begins. It is nil if the address is unknown, or if the call was
  /// inlined and its code is in several parts.
  public var start: UInt64?
  /// For the innermost function, this is the executed line. For each other function, this is the line at which it calls
  /// the next inner function.
  public var location: SourceLocation?
  /// The location that the compiler recorded for the address. If the compiler gave no line, `recordedLocation` has line
  /// 0, and `location` has the nearest line. In all other cases the two locations are equal.
  public var recordedLocation: SourceLocation?
  /// Whether this function was inlined into the next outer function.
  public var isInlined: Bool
  /// Whether the function is not the program's own code: it belongs to a language runtime or to the system, or it is a
  /// compiler's thunk.
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

/// The result for one address.
public struct Lookup: Sendable, Hashable {
  /// The chain of calls, innermost first; empty if no function is known.
  public var calls: [SymbolicatedCall]
  /// Why Swift code trapped at this address, in the compiler's words ("Index out of range"); nil if the compiler stored
  /// no such text for the address.
  public var runtimeFailure: String?

  /// Makes a result.
  public init(calls: [SymbolicatedCall] = [], runtimeFailure: String? = nil) {
    self.calls = calls
    self.runtimeFailure = runtimeFailure
  }
}

/// The kind of data from which the names of functions, files and lines come.
public enum DebugInfoKind: Sendable, Hashable {
  /// DWARF in this file, which is the image's own file or a separate debug file.
  case dwarf(path: String)
  /// Only the names of functions, from `.symtab`.
  case symbolTable
  /// Only the names of exported functions, from `.dynsym`.
  case dynamicSymbols
  /// Neither debug information nor symbols.
  case none
}

/// Whether an image's file was found, and its contents.
public enum ImageStatus: Sendable, Hashable {
  /// The file was found; it is of the right build if the report names a build ID. `searched` has every place where the
  /// search for DWARF had no success.
  case found(path: String, debugInfo: DebugInfoKind, searched: [String] = [])
  /// No file was found. `searched` has every place that was searched.
  case missing(buildID: String?, searched: [String])
  /// Only a file of another build was found, and it was not used.
  case mismatched(path: String, expected: String, found: String?, searched: [String])
}

/// Options for symbolication.
public struct SymbolicationOptions: Sendable, Hashable {
  /// The folders of debug files and images. They are searched in three ways, in this order:
  ///
  /// 1. as `.build-id/xx/yyyy.debug` trees
  /// 2. by file name
  /// 3. by build ID in files of any name. This search includes four levels of subfolders, and ends after 10,000 files
  ///    and folders.
  public var symbolDirectories: [String]
  /// The system's folders of debug files, searched after `symbolDirectories`.
  public var debugDirectories: [String]
  /// Whether Swift names have modules and argument types, C++ names have the template arguments that are equal to the
  /// standard library's defaults, and all names have compiler suffixes.
  public var fullNames: Bool
  /// Whether `SymbolicatedCall.isRuntime` also depends on the function's name and source file. If not, it depends only
  /// on the image's name.
  public var classifiesFunctions: Bool
  /// The options for debuginfod servers. The symbolicator asks these servers for files that it finds nowhere else. If
  /// nil, it asks no server.
  public var debuginfod: DebuginfodOptions?
  /// The folder of indexes. Indexes hold decoded debug information, so that it is decoded only once. If nil, there are
  /// no indexes.
  public var index: IndexOptions?

  /// Sets the options; the defaults are the system's folders and simplified names.
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

/// The folder and the size limit of indexes of debug information.
public struct IndexOptions: Sendable, Hashable {
  /// The absolute path of the folder. If the folder is missing, it is made for the first index; only its user can open
  /// it. A folder is not used if it is a link, if it belongs to another user, or if others can write to it.
  public var directory: String
  /// The size limit of all indexes in bytes. Above this limit, the least recently used indexes are removed.
  public var sizeLimit: UInt64

  /// Sets the folder; the default limit is 1 GiB.
  public init(directory: String, sizeLimit: UInt64 = 1 << 30) {
    self.directory = directory
    self.sizeLimit = sizeLimit
  }
}

import CReportTerms

/// Separates a program's own code from that of the runtimes below it.
enum FrameClassifier {
  private static let runtimeImages = [
    "libswift", "libdispatch", "libBlocksRuntime", "libFoundation", "lib_Foundation", "libc.so", "libc-", "libm.so",
    "libpthread", "libdl.so", "librt.so", "ld-linux", "ld-musl", "ld.so", "libgcc_s", "libstdc++", "libc++",
    "libunwind", "linux-vdso", "[vdso]",
  ]

  /// Whether all of an image's code is a runtime's.
  static func isRuntimeImage(_ name: String) -> Bool {
    runtimeImages.contains { name.hasPrefix($0) }
  }

  private static let runtimeFolders =
    [
      "/swift/stdlib/", "/swift/include/", "/swift-corelibs-", "/swift-foundation", "/llvm-project/", "/rustc/",
      "/rust/deps/",
      "/usr/include/", "/usr/lib/gcc/", "/glibc", "/csu/", "/nptl/", "/sysdeps/",
    ] + term_own.cFolder.names.map { "/\($0)/" }

  /// Whether a source file is a runtime's, or the compiler's own invention.
  static func isRuntimePath(_ path: String) -> Bool {
    path.hasSuffix("<compiler-generated>") || runtimeFolders.contains { path.firstRange(of: $0) != nil }
  }

  private static let runtimeModules: Set<String> = Set([
    "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "_Differentiation", "Synchronization",
    "Observation", "Distributed", "RegexBuilder", "Cxx", "CxxStdlib", "Foundation", "FoundationEssentials",
    "FoundationNetworking", "FoundationInternationalization", "Dispatch", "Glibc", "SwiftGlibc", "Musl", "Runtime",
    "__C", "__C_Synthesized",
  ]).union(term_own.module.names)

  private static let runtimePrefixes =
    [
      "swift::", "std::", "__gnu_cxx::", "__cxxabiv1::", "__cxa_", "icu_", "swift_", "_swift_", "__swift_", "dispatch_",
      "_dispatch_", "_Block_", "__libc_", "core::", "alloc::", "<core::", "<alloc::", "<std::", "__rust_", "_rust_",
      "rust_",
    ] + term_own.prefix.names

  private static let entryPoints: Set<String> = [
    "_start", "_init", "_fini", "start_thread", "clone", "clone3", "__clone", "__clone3", "__restore_rt",
    "register_tm_clones", "deregister_tm_clones", "frame_dummy", "__do_global_dtors_aux",
  ]

  /// What the Swift compiler makes on its own account, by short names.
  private static let generatedMarks = [
    "outlined ", "type metadata ", "thunk for ", "value witness", "lazy protocol witness ", "associated type ",
    "base witness table ", "block_copy_helper ", "block_destroy_helper ", "default associated conformance ",
    "getEnumTag", "storeEnumTag", "destructiveInjectEnumTag ", "destructiveProjectEnumData ",
    "async function pointer to ",
    "instantiation function for ",
  ]

  /// Whether a function, by its name alone, belongs to a runtime or is a thunk. `short` is the simplified name.
  static func isRuntimeFunction(mangled: String, short: String) -> Bool {
    guard Demangler.isSwift(mangled) else {
      // The Swift runtime's own functions are not all in its namespace; what they take is.
      return entryPoints.contains(short) || runtimePrefixes.contains { short.hasPrefix($0) }
        || short.firstRange(of: "(swift::") != nil
    }
    let (function, notes) = ReadableSwiftName.parts(of: short)
    // A specialised copy is the function itself; whatever else is noted is a way to it.
    if let notes, notes != "specialized" { return true }
    if generatedMarks.contains(where: { function.hasPrefix($0) }) { return true }
    guard let module = SwiftModule.name(ofMangled: mangled), runtimeModules.contains(module) else { return false }
    // A program's own extension of a type of the runtime.
    return SwiftModule.extending(mangled).map(runtimeModules.contains) ?? true
  }
}

/// The module that a Swift function was written in.
enum SwiftModule {
  private static let prefixes = ["$s", "_$s", "$S", "_$S", "$e"]

  /// The module that the mangled name begins with: that of the type, for a member of an extension.
  static func name(ofMangled mangled: String) -> String? {
    guard let prefix = prefixes.first(where: { mangled.hasPrefix($0) }) else { return nil }
    let rest = mangled.utf8.dropFirst(prefix.utf8.count)
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "s"): return "Swift"
    case UInt8(ascii: "S"):
      let second = rest.dropFirst().first
      return second == UInt8(ascii: "o") || second == UInt8(ascii: "C") ? "__C" : "Swift"
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return Int(String(decoding: digits, as: UTF8.self)).map {
        String(decoding: rest.dropFirst(digits.count).prefix($0), as: UTF8.self)
      }
    default: return nil
    }
  }

  /// The module of the extension that a function is a member of.
  static func extending(_ mangled: String) -> String? {
    // The operator for an extension; most names of runtime modules have none.
    guard mangled.utf8.contains(UInt8(ascii: "E")), let full = Demangler.fullSwiftName(mangled),
      let mark = full.firstRange(of: "(extension in ")
    else { return nil }
    let rest = full.utf8[mark.upperBound...]
    return rest.firstIndex(of: UInt8(ascii: ")")).map { String(decoding: rest[..<$0], as: UTF8.self) }
  }
}

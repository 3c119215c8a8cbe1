/// Tells a program's own code from that of the runtimes below it.
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

  private static let runtimeFolders = [
    "/swift/stdlib/", "/swift/include/", "/swift-corelibs-", "/swift-foundation", "/llvm-project/", "/rustc/",
    "/usr/include/", "/usr/lib/gcc/", "/glibc", "/csu/", "/nptl/", "/sysdeps/",
  ]

  /// Whether a source file is a runtime's, or the compiler's own invention.
  static func isRuntimePath(_ path: String) -> Bool {
    path.hasSuffix("<compiler-generated>") || runtimeFolders.contains { path.firstRange(of: $0) != nil }
  }

  private static let runtimeModules: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "_Differentiation", "Synchronization", "Observation",
    "Distributed", "RegexBuilder", "Cxx", "CxxStdlib", "Foundation", "FoundationEssentials", "FoundationNetworking",
    "FoundationInternationalization", "Dispatch", "Glibc", "SwiftGlibc", "Musl", "Runtime", "__C", "__C_Synthesized",
  ]

  private static let runtimePrefixes = [
    "swift::", "std::", "__gnu_cxx::", "__cxxabiv1::", "__cxa_", "icu_", "swift_", "_swift_", "__swift_", "dispatch_",
    "_dispatch_", "_Block_", "__libc_", "core::", "alloc::", "<core::", "<alloc::", "<std::", "__rust_", "_rust_",
    "rust_",
  ]

  private static let entryPoints: Set<String> = [
    "_start", "_init", "_fini", "start_thread", "clone", "clone3", "__clone", "__clone3", "__restore_rt",
    "register_tm_clones", "deregister_tm_clones", "frame_dummy", "__do_global_dtors_aux",
  ]

  /// What the Swift compiler makes on its own account.
  private static let generatedMarks = [
    "outlined ", "type metadata ", "reabstraction thunk ", "value witness ", "lazy protocol witness ",
    "associated type ", "partial apply forwarder for ", "protocol witness for ", "dispatch thunk of ",
    "key path ", "block_copy_helper ", "block_destroy_helper ", "destroy for ", "initializeBufferWithCopyOfBuffer for ",
    "merged ", "default associated conformance ", "assignWithCopy for ", "assignWithTake for ",
    "initializeWithCopy for ", "initializeWithTake for ", "getEnumTag", "storeEnumTag", "async function pointer to ",
  ]

  /// Whether a function, by its name alone, belongs to a runtime or is a thunk. `readable` is the short name.
  static func isRuntimeFunction(mangled: String?, readable: String) -> Bool {
    guard let mangled, let full = Demangler.fullSwiftName(mangled) else {
      return entryPoints.contains(readable) || runtimePrefixes.contains { readable.hasPrefix($0) }
    }
    if Demangler.isSwiftThunk(mangled) { return true }
    let name = withoutAsyncPart(full)
    if generatedMarks.contains(where: { name.hasPrefix($0) }) { return true }
    return module(ofMangled: mangled, full: name).map(runtimeModules.contains) ?? false
  }

  /// "(1) await resume partial function for f" is part of f.
  private static func withoutAsyncPart(_ name: String) -> Substring {
    guard name.hasPrefix("("), let mark = name.firstRange(of: " resume partial function for ") else { return name[...] }
    return name[mark.upperBound...]
  }

  /// The module that a Swift function was written in. An extension's module counts, not that of the type it extends.
  static func module(ofMangled mangled: String, full: Substring) -> String? {
    if let mark = String(full).firstRange(of: "(extension in ") {
      let rest = String(full).utf8[mark.upperBound...]
      if let end = rest.firstIndex(of: UInt8(ascii: ")")) { return String(rest[..<end]) }
    }
    var rest = Substring(mangled)
    for prefix in ["_$s", "$s", "_$S", "$S", "$e"] where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(prefix.count)
      break
    }
    guard let first = rest.utf8.first else { return nil }
    switch first {
    case UInt8(ascii: "s"): return "Swift"
    case UInt8(ascii: "S"): return rest.hasPrefix("So") || rest.hasPrefix("SC") ? "__C" : "Swift"
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      let digits = rest.prefix { $0.isNumber }
      return Int(digits).map { String(rest.dropFirst(digits.count).prefix($0)) }
    default: return nil
    }
  }
}

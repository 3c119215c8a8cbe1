import Glibc

/// Which loaded file an address lies in. The C library's own declaration is for programs with GNU's extensions only.
@_silgen_name("dladdr")
private func describePlace(_ address: UnsafeRawPointer, _ place: UnsafeMutablePointer<LoadedPlace>) -> CInt

private struct LoadedPlace {
  var path: UnsafePointer<CChar>?
  var base: UnsafeRawPointer?
  var symbol: UnsafePointer<CChar>?
  var symbolAddress: UnsafeRawPointer?
}

/// Everything that the answers of an index depend on: the files that they were read from, and the program that read them.
struct IndexKey: Sendable, Hashable {
  /// The name of the index in its folder: of the build ID and the files' paths, so that one that has become wrong is
  /// replaced by the right one.
  let fileName: String
  /// As it stands in the index; one that has another is of no use.
  let bytes: [UInt8]

  /// Nil if two builds or two states of a file look the same: without a build ID, or without `/proc`.
  init?(file: ELFFile, debugFile: ELFFile?, alternateFile: ELFFile?, packagePaths: [String]) {
    guard let buildID = file.buildID, buildID.count > 1, let maker = Self.maker else { return nil }
    var lines = ["\(IndexFormat.version)", maker]
    var paths: [String] = []
    for file in [file, debugFile ?? file, alternateFile].compactMap({ $0 }) {
      guard let identity = file.identity else { return nil }
      lines.append("\(file.buildID.map(BuildID.hex) ?? "-") \(identity.description)")
      paths.append(file.path)
    }
    for path in packagePaths {
      lines.append(FileIdentity(path: path)?.description ?? "-")
      paths.append(path)
    }
    bytes = Array(lines.joined(separator: "\n").utf8)
    let digest = Array(paths.joined(separator: "\n").utf8).withUnsafeBytes {
      Checksum.of(Bytes($0.baseAddress, count: $0.count))
    }
    fileName = "\(BuildID.hex(buildID))-\(String(digest, radix: 16))\(IndexFolder.suffix)"
  }

  /// This program and the library that makes names readable: another build of either may answer differently.
  private static let maker: String? = {
    guard let program = FileIdentity(path: "/proc/self/exe") else { return nil }
    var place = LoadedPlace()
    guard let demangler = dlsym(nil, "swift_demangle"), describePlace(demangler, &place) != 0,
      let path = place.path,
      let library = FileIdentity(path: String(cString: path))
    else { return program.description }
    return "\(program.description) \(library.description)"
  }()
}

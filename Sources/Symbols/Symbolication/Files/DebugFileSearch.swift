/// Looks for the files of an image by build ID, by name and by debug link, and remembers where it looked.
struct DebugFileSearch {
  private let options: SymbolicationOptions
  private let image: ImageReference
  private let sources: SymbolSources
  private(set) var searched: [String] = []
  /// The first file found under a right name that is of another build.
  private(set) var mismatch: (path: String, buildID: [UInt8]?)?

  init(for image: ImageReference, _ options: SymbolicationOptions, _ sources: SymbolSources) {
    self.image = image
    self.sources = sources
    self.options = options
  }

  /// The image's own file, or one that stands for it; of the same build wherever the report names one.
  ///
  /// - Parameter isWanted: Passes over files of the image that will not do.
  mutating func imageFile(where isWanted: (ELFFile) -> Bool = { _ in true }) -> ELFFile? {
    if isKernelProvided {
      searched.append("\(image.name) is provided by the kernel and has no file")
      return nil
    }
    if let path = image.path, !path.isEmpty, let file = open(path) {
      if image.buildID == nil ? isForItsProcessor(file) : file.buildID == image.buildID {
        if isWanted(file) { return file }
      } else {
        mismatch = mismatch ?? (path, file.buildID)
      }
    }
    for path in pathsByBuildID(image.buildID) + pathsByName() {
      guard let file = open(path) else { continue }
      // Without build IDs there is only the name: enough for a folder that the user named, if neither has one.
      if file.buildID == image.buildID, file.buildID != nil || isForItsProcessor(file) {
        if isWanted(file) { return file }
      } else {
        mismatch = mismatch ?? (path, file.buildID)
      }
    }
    for path in pathsInFolders(image.buildID) {
      if let file = ELFFile(path: path), file.buildID == image.buildID, isWanted(file) { return file }
    }
    // A debug file stands for the program and may be all that a server has.
    return download(.debuginfo, image.buildID) ?? download(.executable, image.buildID)
  }

  /// Of an image without a build ID, this machine may have another one of the same name.
  private func isForItsProcessor(_ file: ELFFile) -> Bool { image.machine.map { $0 == file.machine } ?? true }

  /// The file that `file`'s debug information was moved to.
  mutating func debugFile(of file: ELFFile) -> ELFFile? {
    for path in pathsByBuildID(file.buildID) + pathsByName() {
      if let found = open(path), found.hasDebugInfo, found.buildID != nil, found.buildID == file.buildID {
        return found
      }
    }
    for path in pathsInFolders(file.buildID) {
      if let found = ELFFile(path: path), found.hasDebugInfo, found.buildID == file.buildID { return found }
    }
    return linkedFile(of: file) ?? download(.debuginfo, file.buildID)
  }

  private mutating func linkedFile(of file: ELFFile) -> ELFFile? {
    guard let link = DebugLink(in: file) else { return nil }
    for path in paths(ofLink: link.name, from: file) {
      guard let found = open(path), found.hasDebugInfo else { continue }
      let isSame =
        found.buildID != nil && file.buildID != nil ? found.buildID == file.buildID : found.checksum == link.checksum
      if isSame { return found }
      mismatch = mismatch ?? (path, found.buildID)
    }
    return nil
  }

  /// The file that dwz moved the entries to which several debug files share.
  mutating func alternateFile(of file: ELFFile) -> ELFFile? {
    guard let link = AlternateLink(in: file) else { return nil }
    let direct = link.name.hasPrefix("/") ? link.name : FilePath.join(FilePath.directory(of: file.path), link.name)
    for path in [direct] + pathsByBuildID(link.buildID) + pathsInFolders(link.buildID) {
      if let found = open(path), found.hasDebugInfo, found.buildID == link.buildID { return found }
    }
    return download(.debuginfo, link.buildID)
  }

  /// Asks the servers, if there are any, for a file that no folder had.
  private mutating func download(_ kind: Debuginfod.Kind, _ buildID: [UInt8]?) -> ELFFile? {
    guard let debuginfod = sources.debuginfod else { return nil }
    let answer = debuginfod.find(kind, buildID, for: image.name) { kind == .executable || $0.hasDebugInfo }
    for place in answer.searched where !searched.contains(place) { searched.append(place) }
    return answer.file
  }

  /// Where a file may be that packs the `.dwo` files of split DWARF: beside the program or its debug file, and in the
  /// folders that the user named.
  func packagePaths(of file: ELFFile, _ debugFile: ELFFile?) -> [String] {
    let name = FilePath.lastComponent(of: image.path ?? image.name) + ".dwp"
    let byBuildID = pathsByBuildID(file.buildID).filter { $0.hasSuffix(".debug") }.map { $0 + ".dwp" }
    return [file.path + ".dwp"] + (debugFile.map { [$0.path + ".dwp"] } ?? [])
      + byBuildID + options.symbolDirectories.map { FilePath.join($0, name) }
  }

  private var isKernelProvided: Bool {
    image.name == "[vdso]" || image.name.hasPrefix("linux-vdso") || image.path == "[vdso]"
  }

  private mutating func open(_ path: String) -> ELFFile? {
    if !searched.contains(path) { searched.append(path) }
    return ELFFile(path: path)
  }

  private func pathsByBuildID(_ buildID: [UInt8]?) -> [String] {
    guard let buildID, buildID.count > 1 else { return [] }
    let hex = BuildID.hex(buildID)
    let relative = ".build-id/\(hex.prefix(2))/\(hex.dropFirst(2))"
    return options.symbolDirectories.flatMap {
      [FilePath.join($0, relative + ".debug"), FilePath.join($0, relative)]
    } + options.debugDirectories.map { FilePath.join($0, relative + ".debug") }
  }

  /// Files of a build under whatever name.
  private mutating func pathsInFolders(_ buildID: [UInt8]?) -> [String] {
    guard let buildID, buildID.count > 1 else { return [] }
    for place in sources.folders.description where !searched.contains(place) { searched.append(place) }
    return sources.folders.paths(of: buildID)
  }

  private func pathsByName() -> [String] {
    let path = image.path ?? image.name
    let name = FilePath.lastComponent(of: path)
    guard !name.isEmpty else { return [] }
    var paths = options.symbolDirectories.flatMap {
      [FilePath.join($0, name), FilePath.join($0, name + ".debug"), FilePath.join($0, path)]
    }
    if path.hasPrefix("/") { paths += options.debugDirectories.map { FilePath.join($0, path + ".debug") } }
    return paths.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private func paths(ofLink name: String, from file: ELFFile) -> [String] {
    let directory = FilePath.directory(of: file.path)
    let absolute = FilePath.absolute(directory)
    return [FilePath.join(directory, name), FilePath.join(FilePath.join(directory, ".debug"), name)]
      + options.debugDirectories.map { FilePath.join(FilePath.join($0, absolute), name) }
      + options.symbolDirectories.map { FilePath.join($0, name) }
  }
}

enum BuildID {
  static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

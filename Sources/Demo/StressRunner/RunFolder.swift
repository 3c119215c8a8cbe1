import Foundation
import LinuxCalls
import ProgramRunner

/// The folder of one stress run. It has a folder for each variant, with the variant's reports and output.
public struct RunFolder: Sendable {
  public let path: String

  /// Makes a private folder below `parent`. If `parent` is `nil`, makes it below the folder for temporary files. If the
  /// folder `parent` does not exist, makes that folder too.
  ///
  /// - Throws: `StressFailure` with status 74 if it cannot be made.
  public init(below parent: String? = nil) throws(StressFailure) {
    if let parent, let error = makeFolders(parent) { throw .inputOutput("cannot make \(parent)", error) }
    let temporary = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let place = parent ?? temporary
    var template = "\(place)/stress-\(Self.stamp())-XXXXXX".systemText
    guard mkdtemp(&template) != nil else { throw .inputOutput("cannot write in \(place)", errno) }
    guard let resolved = resolvedPath(String(systemText: template)) else {
      throw .inputOutput("cannot read \(place)", errno)
    }
    path = resolved
  }

  /// A variant's own folder, with one for its reports and one for its files.
  func variantFolder(_ stressCase: StressCase) throws(StressFailure) -> VariantFolder {
    let folder = VariantFolder(path: "\(path)/\(stressCase.workload)-\(stressCase.variant.name)")
    for name in [folder.path, folder.reports, folder.files] where mkdir(name, 0o700) != 0 && errno != EEXIST {
      throw .inputOutput("cannot make \(name)", errno)
    }
    return folder
  }

  /// Writes a text to a private file in the folder of the run.
  public func write(_ text: String, to name: String) throws(StressFailure) {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inputOutput("cannot write \(path)/\(name)", errno) }
    defer { close(descriptor) }
    guard writeWhole(text, to: descriptor) else { throw .inputOutput("cannot write \(path)/\(name)", errno) }
  }

  private static func stamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    return String(
      format: "%04d%02d%02dT%02d%02d%02dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
      parts.tm_min, parts.tm_sec)
  }
}

/// The folder for the files of one variant's process.
public struct VariantFolder: Sendable, Hashable {
  public let path: String
  public var reports: String { path + "/reports" }
  public var files: String { path + "/files" }
  public var standardOutput: String { path + "/stdout" }
  public var standardError: String { path + "/stderr" }

  /// The paths of all finished reports, oldest first.
  func reportPaths() -> [String] {
    guard let stream = opendir(reports) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) { names.append(entry.name) }
    return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().map { "\(reports)/\($0)" }
  }
}

/// Writes all of a text; `false` with errno if that fails.
public func writeWhole(_ text: String, to descriptor: Int32) -> Bool {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno != EINTR { return false }
    bytes = bytes.dropFirst(max(count, 0))
  }
  return true
}

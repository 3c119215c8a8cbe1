import Glibc
import LinuxCalls

/// The value of one `--source`. `DIR` names a folder whose files may be shown. `FROM=TO` names such a folder too, `TO`,
/// and the recorded path that it replaces, `FROM`.
public struct SourceRule: Sendable {
  /// An invalid value of `--source`: the error and what to do, in one line.
  public struct Mistake: Error, Sendable {
    public let text: String
  }

  /// The recorded path that means the folder; `nil` if recorded paths are used unchanged.
  let from: SourcePath?
  /// The folder.
  let folder: AllowedFolder
  /// The folder as it was named: a compiler may have recorded its paths so.
  let named: SourcePath

  /// Reads `DIR` or `FROM=TO`.
  ///
  /// - Throws: `Mistake` if a part is empty, or if the folder does not exist.
  public init(_ argument: String, workingDirectory: String?) throws(Mistake) {
    let sides = argument.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let folder = sides.last.map { String(Substring($0)) } ?? ""
    guard !argument.isEmpty else { throw Mistake(text: "--source: it is empty; name a folder, or FROM=TO") }
    func mistake(_ what: String) -> Mistake { Mistake(text: "--source \(argument): \(what)") }
    if sides.count > 1 {
      guard !sides[0].isEmpty else { throw mistake("FROM is empty; write FROM=TO, as in --source /build=.") }
      guard !folder.isEmpty else { throw mistake("TO is empty; write FROM=TO, as in --source /build=.") }
    }
    let subject = sides.count > 1 ? "\(folder): " : ""
    do throws(AllowedFolder.Failure) {
      self.folder = try AllowedFolder(named: folder)
    } catch {
      switch error {
      case .notFound(let code):
        let reason = code == ENOENT ? "no such folder" : errorText(code)
        throw mistake("\(subject)\(reason); name a folder of this machine")
      case .notAFolder: throw mistake("\(subject)not a folder; name the folder that the file is in")
      }
    }
    let absolute = folder.utf8.first == UInt8(ascii: "/") ? folder : "\(workingDirectory ?? "")/\(folder)"
    from = sides.count > 1 ? SourcePath(String(Substring(sides[0]))) : nil
    named = SourcePath(absolute) ?? self.folder.path
  }
}

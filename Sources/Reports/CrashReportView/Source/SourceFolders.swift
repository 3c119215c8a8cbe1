import CrashReportModel
import Synchronization

/// Finds the source files of a report on this machine. It opens only files in these folders:
///
/// 1. the folders that `--source` names
/// 2. the working folder
/// 3. the folder of the repository that contains the working folder
///
/// A path from another machine, such as a container, is shortened from the front until it names a file in one of the
/// folders.
public final class SourceFolders: Sendable {
  /// At most this many paths are looked for by their ends: a hostile report may have any number.
  private static let mostPaths = 4096
  /// Parts of a path that are compared, from its end.
  private static let longestEnd = 32

  /// A folder to look in.
  struct Folder {
    var opened: AllowedFolder
    /// The recorded paths that mean this folder.
    var recorded: [SourcePath]
    /// Whether the user named the folder. If not, only files that all users may read are shown.
    var isNamed: Bool
    /// Whether its files may be shown at all.
    var isTrusted = true
  }

  /// A file in one of the folders.
  struct Place {
    var folder: Folder
    var parts: [String]
    /// Whether only the path's end led there.
    var isGuess = false

    var path: SourcePath { folder.opened.path.appending(parts) }
  }

  private let workingDirectory: SourcePath?
  private let rules: [SourceRule]
  private let folders: [Folder]
  private struct Query: Hashable {
    var recorded: String
    var guesses: Bool
  }
  private let places = Mutex<[Query: Place?]>([:])
  /// Whether the names of users are left out of the paths that are shown.
  private let hidesUsers: Bool
  /// What paths in files for other tools are relative to: the repository's folder or, without one, the working folder.
  private let base: SourcePath?

  /// Sets the folders of a command. If the working folder is the root of the file system, it is not used, because it
  /// contains everything.
  public init(workingDirectory: AllowedFolder? = nil, rules: [SourceRule] = [], hidesUsers: Bool = false) {
    self.hidesUsers = hidesUsers
    let working = workingDirectory.flatMap { $0.path.parts.isEmpty ? nil : $0 }
    let repository = working.flatMap(Repository.init)
    // The longest FROM first: it says most.
    self.rules = rules.filter { $0.from != nil }.sorted { $0.from!.parts.count > $1.from!.parts.count }
    self.workingDirectory = working?.path
    base = (repository?.folder ?? working)?.path
    var folders = rules.map { Folder(opened: $0.folder, recorded: [$0.folder.path, $0.named], isNamed: true) }
    if let working { folders.append(Folder(opened: working, recorded: [working.path], isNamed: false)) }
    if let repository, repository.folder !== working {
      folders.append(
        Folder(
          opened: repository.folder, recorded: [repository.folder.path], isNamed: false,
          isTrusted: repository.isTrusted))
    }
    self.folders = folders
  }

  /// Sets the folders of a command with the values of its `--source`.
  ///
  /// - Throws: `SourceRule.Mistake` at the first value that is not a rule.
  public convenience init(
    workingDirectory: AllowedFolder?, arguments: [String], hidesUsers: Bool = false
  ) throws(SourceRule.Mistake) {
    var rules: [SourceRule] = []
    for argument in arguments { rules.append(try SourceRule(argument, workingDirectory: workingDirectory?.path.text)) }
    self.init(workingDirectory: workingDirectory, rules: rules, hidesUsers: hidesUsers)
  }

  // MARK: Names

  /// A recorded path as a person reads it: of a file below the working folder, the path from there.
  func shown(_ recorded: String) -> String {
    guard let path = place(of: recorded)?.path else { return recorded }
    return workingDirectory.flatMap { path.parts(below: $0) }.map { $0.joined(separator: "/") } ?? text(path)
  }

  private func text(_ path: SourcePath) -> String { hidesUsers ? path.text.withUsersScrubbed : path.text }

  /// A recorded path for other tools: relative to the repository's folder, if the file is in it.
  package func published(_ recorded: String, guesses: Bool = true) -> (file: String, isInside: Bool) {
    guard let path = place(of: recorded, guesses: guesses)?.path else { return (recorded, false) }
    guard let base, let parts = path.parts(below: base), !parts.isEmpty else { return (text(path), false) }
    return (parts.joined(separator: "/"), true)
  }

  /// The folder that published paths are relative to.
  var publishedRoot: String? { base.map(text) }

  // MARK: Files

  /// The file that a recorded path stands for; if there is none here, where it would be; `nil` for a path of elsewhere.
  func place(of recorded: String, guesses: Bool = true) -> Place? {
    let query = Query(recorded: recorded, guesses: guesses)
    if let known = places.withLock({ $0[query] }) { return known }
    let isFull = places.withLock { $0.count } >= Self.mostPaths
    let place = SourcePath(recorded).flatMap { find($0, guesses: guesses && !isFull) }
    if !isFull { places.withLock { $0[query] = place } }
    return place
  }

  private func find(_ path: SourcePath, guesses: Bool) -> Place? {
    let mapped = mappedPlaces(of: path)
    let inside = insidePlaces(of: path)
    if let place = (mapped + inside).first(where: Self.exists) { return place }
    if guesses, let place = guess(path) { return place }
    return mapped.first ?? (path.isAbsolute ? inside.first : nil)
  }

  private func mappedPlaces(of path: SourcePath) -> [Place] {
    rules.compactMap { rule in
      guard let parts = path.parts(below: rule.from!), !parts.isEmpty else { return nil }
      return Place(folder: Folder(opened: rule.folder, recorded: [], isNamed: true), parts: parts)
    }
  }

  /// Where a path lies as it is. What it is relative to, if it is, may be any of the folders.
  private func insidePlaces(of path: SourcePath) -> [Place] {
    folders.compactMap { folder in
      let starts = path.isAbsolute ? folder.recorded : [SourcePath(folder: [])]
      guard let parts = starts.lazy.compactMap(path.parts).first, !parts.isEmpty else { return nil }
      return Place(folder: folder, parts: parts)
    }
  }

  private func guess(_ path: SourcePath) -> Place? {
    let end = path.parts.suffix(Self.longestEnd)
    for start in end.indices {
      for folder in folders {
        let place = Place(folder: folder, parts: Array(end[start...]), isGuess: true)
        if Self.exists(place) { return place }
      }
    }
    return nil
  }

  private static func exists(_ place: Place) -> Bool {
    FileBelow(place.parts, below: place.folder.opened) != nil
  }
}

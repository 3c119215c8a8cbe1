import CrashReportReading
import Glibc
import Linux

/// The files of reports that a command line names, folders included.
struct ReportFiles {
  /// How a file is read.
  enum Form: Sendable {
    /// One report, or a log with any number of them.
    case whole
    /// One report a line.
    case lines
  }

  /// Folders are searched so deep.
  private static let deepest = 8

  private(set) var files: [(path: String, form: Form)] = []
  private(set) var failures: [(path: String, error: ReadingError)] = []

  /// Files as named; of folders and those below them all `*.json`, `*.jsonl` and `*.ndjson`, and the `*.spare` that hold
  /// a report. No link is followed.
  init(_ paths: [String]) {
    for path in paths {
      var status = stat()
      if path == "-" {
        files.append((path, .lines))
      } else if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        search(path, depth: 0)
      } else {
        files.append((path, Self.form(of: path) ?? .whole))
      }
    }
  }

  private mutating func search(_ folder: String, depth: Int) {
    guard let directory = opendir(folder) else {
      let reason = errorText(errno)
      failures.append((folder, ReadingError(.noInput, "cannot be opened: \(reason)")))
      return
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(entry.name)
    }
    for name in names.sorted() where name != "." && name != ".." {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR where depth < Self.deepest: search(path, depth: depth + 1)
      case S_IFREG:
        if let form = Self.form(of: name, isEmpty: status.st_size == 0) { files.append((path, form)) }
      default: break
      }
    }
  }

  private static func form(of name: String, isEmpty: Bool = false) -> Form? {
    if name.hasSuffix(".json") { return .whole }
    // The report of a process that had given up its user; empty as long as the process has not crashed.
    if name.hasSuffix(".spare") { return isEmpty ? nil : .whole }
    return name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") ? .lines : nil
  }
}

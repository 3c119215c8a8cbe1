import CrashReportReading
import Glibc
import LinuxCalls

/// The files of reports on a command line, including files in folders.
public struct ReportFiles: Sendable {
  /// How a file is read.
  public enum Form: Sendable {
    /// The first source that accepts the file reads all of it.
    case whole
    /// One report a line.
    case lines
  }

  /// The search goes at most this many folders deep.
  private static let deepest = 8

  /// The files in the order of the command line; files of a folder are sorted by name.
  public private(set) var files: [(path: String, form: Form)] = []
  /// The folders that could not be searched.
  public private(set) var failures: [(path: String, error: ReadingError)] = []
  private let sources: InputFormats

  /// Lists the files at the paths. If a path is that of a folder, it lists three kinds of files in the folder and its
  /// subfolders: `*.jsonl`, `*.ndjson`, and files that a source claims. In folders it follows no link.
  public init(_ paths: [String], _ sources: InputFormats) {
    self.sources = sources
    for path in paths {
      var status = stat()
      if path == "-" {
        files.append((path, .lines))
      } else if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        search(path, depth: 0)
      } else {
        files.append((path, Self.holdsLines(path) ? .lines : .whole))
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
        if Self.holdsLines(name) {
          files.append((path, .lines))
        } else if sources.claim(name, at: path) {
          files.append((path, .whole))
        }
      default: break
      }
    }
  }

  private static func holdsLines(_ name: String) -> Bool { name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") }
}

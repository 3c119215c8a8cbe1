import Glibc
import LinuxCalls

/// Finds a program as execvp(3) does.
public enum ProgramSearch {
  /// The path of a program: the name itself if it contains a slash, else the first executable file of that name in the
  /// folders of `PATH`.
  ///
  /// - Throws: `RunFailure` with status 127 if there is no such program, 126 if there is such a program but it may not
  ///   be executed.
  public static func path(of name: String, searching path: String? = environment("PATH")) throws(RunFailure) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) {
      switch problem(with: name) {
      case 0: return name
      case ENOENT, ENOTDIR: throw .notFound(name)
      case let code: throw .notExecutable(name, code)
      }
    }
    guard !name.isEmpty else { throw .notFound("''") }
    var refusal: RunFailure?
    let folders = (path ?? "/bin:/usr/bin").unicodeScalars.split(separator: ":", omittingEmptySubsequences: false)
    for folder in folders.map(String.init) {
      let candidate = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
      let code = problem(with: candidate)
      if code == 0 { return candidate }
      if code == EACCES { refusal = refusal ?? .notExecutable(candidate, code) }
    }
    throw refusal ?? .notFound(name)
  }

  /// The folder of Swift's own programs if this is one of them; `nil` if it is not.
  static func swiftFolder(of program: String) -> String? {
    guard let path = resolvedPath(program)?.unicodeScalars, let slash = path.lastIndex(of: "/"),
      path[slash...].starts(with: "/swift".unicodeScalars)
    else { return nil }
    let folder = String(path[..<slash])
    // A program of the user's own may have such a name too.
    return access("\(folder)/swift-frontend", X_OK) == 0 ? folder : nil
  }

  /// The error number with which executing the file would fail at once, or 0.
  private static func problem(with path: String) -> Int32 {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return access(path, X_OK) == 0 ? 0 : errno
  }
}

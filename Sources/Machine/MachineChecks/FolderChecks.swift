import Glibc
import LinuxCalls

/// The folders that are written to: that of reports, and the cache.
struct FolderChecks {
  let machine: Machine
  /// The program of the reports, if one was named.
  let program: String?

  var findings: [Finding] { [reports, cache] }

  /// A report with its ring takes less.
  private static let leastSpace: UInt64 = 16 << 20

  /// The order in which CrashKit chooses (Docs/deployment.md).
  private var reportFolder: (path: String, from: String) {
    let name = program ?? "NAME"
    if let folder = machine.variable("CRASHKIT_DIRECTORY") { return (absolute(folder), "CRASHKIT_DIRECTORY") }
    if let folder = machine.variable("STATE_DIRECTORY")?.split(separator: ":").first, folder.hasPrefix("/") {
      return (String(folder), "STATE_DIRECTORY")
    }
    if let folder = machine.variable("XDG_STATE_HOME"), folder.hasPrefix("/") {
      return ("\(folder)/crashkit/\(name)", "XDG_STATE_HOME")
    }
    if let home = machine.variable("HOME"), home.hasPrefix("/") {
      return ("\(home)/.local/state/crashkit/\(name)", "HOME")
    }
    return ("\(machine.variable("TMPDIR") ?? "/tmp")/crashkit-\(geteuid())/\(name)", "no HOME")
  }

  private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return "\(String(cString: current))/\(path)"
  }

  private var reports: Finding {
    let subject = "report folder"
    let (path, from) = reportFolder
    let choose = "set CRASHKIT_DIRECTORY to a folder that can be written, or CRASHKIT_OPTIONS=output=stderr"
    var link = stat()
    if lstat(machine.root + path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK, from != "STATE_DIRECTORY" {
      return .problem(
        subject, "\(path) is a symbolic link", "CrashKit does not follow links, so it writes no reports there", choose)
    }
    let exists = machine.exists(path)
    let place = exists ? path : machine.nearestFolder(above: path)
    guard machine.isWritable(place) else {
      let why = machine.isFolder(place) ? "cannot be written" : "is not a folder"
      return .problem(
        subject, "\(path) (because of \(from)): \(place) \(why)", "reports go to another folder, or to standard error",
        choose)
    }
    if let space = machine.space(place), space < Self.leastSpace {
      return .problem(
        subject, "\(path): \(space >> 10) KiB are free", "a report may be cut short", "make room, or \(choose)")
    }
    if exists, let status = machine.status(of: path), status.st_mode & 0o077 != 0 {
      return .note(
        subject, "\(path) is open to others (mode \(String(status.st_mode & 0o7777, radix: 8)))",
        "the contents of reports are private, but other users can see their names and times", "chmod 700 \(path)")
    }
    let state = exists ? "it is private and can be written" : "it will be made"
    // Only the program knows what it calls itself.
    let isNamedAfterFile = program != nil && !["CRASHKIT_DIRECTORY", "STATE_DIRECTORY"].contains(from)
    let other = isNamedAfterFile ? "; if the program gives CrashKit an application name, the folder has that name" : ""
    return .ok(subject, "\(path) (because of \(from))", state + other)
  }

  private var cache: Finding {
    let subject = "cache folder"
    guard let folder = machine.variable("XDG_CACHE_HOME") ?? machine.variable("HOME").map({ $0 + "/.cache" }) else {
      return .note(
        subject, "none, because HOME is not set", "decoded debug information is not kept for the next time", "set HOME")
    }
    let place = machine.exists(folder) ? folder : machine.nearestFolder(above: folder)
    guard machine.isWritable(place) else {
      return .note(
        subject, "\(folder) cannot be written", "decoded debug information is not kept for the next time",
        "set XDG_CACHE_HOME to a folder that can be written")
    }
    return .ok(subject, folder, "it can be written")
  }
}

import CLinuxCalls
import Glibc

// System calls that take a path. They turn the characters that stand for foreign bytes back into bytes. Each has the name
// and the arguments of the C function, so a file that imports LinuxCalls calls these. A test finds files without the import.

public func open(_ path: String, _ flags: Int32) -> Int32 { path.withSystemText { Glibc.open($0, flags) } }

public func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  path.withSystemText { Glibc.open($0, flags, mode) }
}

public func openat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
  path.withSystemText { Glibc.openat(folder, $0, flags) }
}

public func openat(_ folder: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  path.withSystemText { Glibc.openat(folder, $0, flags, mode) }
}

public func openPlace(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
  path.withSystemText { CLinuxCalls.linux_open_place(folder, $0, flags) }
}

public func stat(_ path: String, _ status: UnsafeMutablePointer<Glibc.stat>) -> Int32 {
  path.withSystemText { fstatat(AT_FDCWD, $0, status, 0) }
}

public func lstat(_ path: String, _ status: UnsafeMutablePointer<Glibc.stat>) -> Int32 {
  path.withSystemText { Glibc.lstat($0, status) }
}

public func fstatat(
  _ folder: Int32, _ path: String, _ status: UnsafeMutablePointer<Glibc.stat>, _ flags: Int32
) -> Int32 {
  path.withSystemText { Glibc.fstatat(folder, $0, status, flags) }
}

public func statvfs(_ path: String, _ status: UnsafeMutablePointer<Glibc.statvfs>) -> Int32 {
  path.withSystemText { linux_statvfs($0, status) }
}

public func access(_ path: String, _ mode: Int32) -> Int32 { path.withSystemText { Glibc.access($0, mode) } }

public func getxattr(_ path: String, _ name: String, _ value: UnsafeMutableRawPointer?, _ size: Int) -> Int {
  path.withSystemText { CLinuxCalls.getxattr($0, name, value, size) }
}

public func opendir(_ path: String) -> OpaquePointer? { path.withSystemText { Glibc.opendir($0) } }

@discardableResult
public func mkdir(_ path: String, _ mode: mode_t) -> Int32 { path.withSystemText { Glibc.mkdir($0, mode) } }

@discardableResult
public func mkdirat(_ folder: Int32, _ path: String, _ mode: mode_t) -> Int32 {
  path.withSystemText { Glibc.mkdirat(folder, $0, mode) }
}

@discardableResult
public func unlink(_ path: String) -> Int32 { path.withSystemText { Glibc.unlink($0) } }

@discardableResult
public func unlinkat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
  path.withSystemText { Glibc.unlinkat(folder, $0, flags) }
}

@discardableResult
public func rmdir(_ path: String) -> Int32 { path.withSystemText { Glibc.rmdir($0) } }

public func rename(_ path: String, _ newPath: String) -> Int32 {
  path.withSystemText { path in newPath.withSystemText { Glibc.rename(path, $0) } }
}

public func renameat(_ folder: Int32, _ path: String, _ newFolder: Int32, _ newPath: String) -> Int32 {
  path.withSystemText { path in newPath.withSystemText { Glibc.renameat(folder, path, newFolder, $0) } }
}

public func renameNew(_ folder: Int32, _ path: String, _ newPath: String) -> Int32 {
  path.withSystemText { path in newPath.withSystemText { CLinuxCalls.linux_rename_new(folder, path, $0) } }
}

public func addWatch(_ descriptor: Int32, _ path: String, _ mask: UInt32) -> Int32 {
  path.withSystemText { Glibc.inotify_add_watch(descriptor, $0, mask) }
}

/// The path without links and without `.` and `..`; `nil` with errno if there is no such file.
public func resolvedPath(_ path: String) -> String? {
  guard let resolved = path.withSystemText({ realpath($0, nil) }) else { return nil }
  defer { free(resolved) }
  return String(systemText: resolved)
}

/// The target of a symbolic link, at most 4,095 bytes; `nil` with errno if it cannot be read.
public func linkTarget(_ path: String) -> String? {
  var text = [CChar](repeating: 0, count: 4096)
  let count = path.withSystemText { readlink($0, &text, text.count - 1) }
  return count < 0 ? nil : String(systemText: text)
}

/// The working folder; `nil` with errno if the system cannot name it.
public func workingFolder() -> String? {
  guard let path = getcwd(nil, 0) else { return nil }
  defer { free(path) }
  return String(systemText: path)
}

extension UnsafeMutablePointer<Glibc.dirent> {
  /// The name of the file. Do not copy the entry: the memory after the name may not be valid.
  public var name: String {
    let name = UnsafeRawPointer(self) + MemoryLayout<Glibc.dirent>.offset(of: \.d_name)!
    return String(systemText: name.assumingMemoryBound(to: CChar.self))
  }
}

/// The system's text for an error number.
public func errorText(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

/// The names in an open folder, unsorted, without `.` and `..`; nil if the folder cannot be listed.
public func folderNames(_ folder: Int32) -> [String]? {
  let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard copy >= 0 else { return nil }
  guard let stream = fdopendir(copy) else {
    close(copy)
    return nil
  }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = entry.name
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

extension stat {
  /// Whether both values describe the same file, even under different names.
  public func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}

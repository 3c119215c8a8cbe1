import CoreFiles
import Glibc
import LinuxCalls

/// Where the files of a process's mappings are for this program: the process may see other mounts.
struct FilePaths {
  /// What leads to the process's own root; nil if it sees the same mounts.
  private let root: String?

  init(_ process: pid_t) {
    let isSame = linkTarget("/proc/self/ns/mnt") == linkTarget("/proc/\(process)/ns/mnt")
    root = isSame ? nil : "/proc/\(process)/root"
  }

  /// Mappings with the paths of their files.
  func mappings(_ lines: [MappingLine]) -> [ProcessCopy.Mapping] {
    var known: [String: String] = [:]
    return lines.map { line in
      if line.isFile, known[line.name] == nil { known[line.name] = path(of: line) }
      return ProcessCopy.Mapping(
        start: line.start, end: line.end, fileOffset: line.fileOffset, isWritable: line.isWritable,
        isExecutable: line.isExecutable, path: known[line.name])
    }
  }

  private func path(of line: MappingLine) -> String {
    guard let root else { return line.name }
    var status = stat()
    let isThere = stat(root + line.name, &status) == 0 && UInt64(status.st_ino) == line.inode
    return isThere ? root + line.name : line.name
  }
}

import CLibdw
import Glibc
import LinuxCalls
import Synchronization

/// The files of `--symbols` folders by their build ID, whatever their names; found once and kept. Thread-safe.
final class SymbolFolders: Sendable {
  private let folders: [String]
  private let found = Mutex<Scan?>(nil)

  private struct Scan {
    var paths: [[UInt8]: [String]] = [:]
    /// Whether there was more than is looked at.
    var isCut = false
  }

  init(_ folders: [String]) {
    self.folders = folders
  }

  /// The files of a build, those nearest to the top first.
  func paths(of buildID: [UInt8]) -> [String] {
    scan().paths[buildID] ?? []
  }

  /// What was searched, for people.
  var description: [String] {
    guard !folders.isEmpty else { return [] }
    let cut = scan().isCut ? "; there are more than the \(Limits.symbolFiles) that were looked at" : ""
    return folders.map {
      "\($0) (files of any name in this folder and in folders up to \(Limits.symbolFolderDepth) levels below it\(cut))"
    }
  }

  private func scan() -> Scan {
    found.withLock { found in
      let scan = found ?? Self.scan(folders)
      found = scan
      return scan
    }
  }

  /// Goes through folders level by level, so that a limit leaves out what lies deepest.
  private static func scan(_ folders: [String]) -> Scan {
    var scan = Scan()
    var files = 0
    var level = folders
    for depth in 0...Limits.symbolFolderDepth {
      var below: [String] = []
      for folder in level {
        for entry in entries(of: folder) {
          guard files < Limits.symbolFiles else {
            scan.isCut = true
            return scan
          }
          files += 1
          let path = FilePath.join(folder, entry.name)
          if entry.isFolder {
            // Such a tree is looked into by its names alone, and a repository's objects are no symbols.
            if depth < Limits.symbolFolderDepth, entry.name != ".build-id", entry.name != ".git" { below.append(path) }
          } else if let buildID = BuildID.read(path) {
            scan.paths[buildID, default: []].append(path)
          }
        }
      }
      level = below
    }
    return scan
  }

  /// Folders and files in the order of their names. Links to folders, which may lead in circles, are not followed.
  private static func entries(of folder: String) -> [(name: String, isFolder: Bool)] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var entries: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(stream), entries.count <= Limits.symbolFiles {
      let name = entry.name
      guard name != ".", name != ".." else { continue }
      var status = stat()
      guard lstat(FilePath.join(folder, name), &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: entries.append((name, true))
      case S_IFREG, S_IFLNK: entries.append((name, false))
      default: continue
      }
    }
    return entries.sorted { $0.name < $1.name }
  }
}

extension BuildID {
  /// The build ID of an ELF file, for which its headers and notes alone are read.
  static func read(_ path: String) -> [UInt8]? {
    guard elf_version(UInt32(EV_CURRENT)) != UInt32(EV_NONE), let descriptor = RegularFile.open(path) else {
      return nil
    }
    defer { close(descriptor) }
    guard let elf = elf_begin(descriptor, ELF_C_READ, nil) else { return nil }
    defer { elf_end(elf) }
    guard elf_kind(elf) == ELF_K_ELF else { return nil }
    var bytes: UnsafeRawPointer?
    let count = dwelf_elf_gnu_build_id(elf, &bytes)
    guard count > 1, count <= 64, let bytes else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}

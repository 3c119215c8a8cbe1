import CReportTerms
import Glibc
import LinuxCalls

/// A running process with CrashKit. While this value exists, no other process can get the same process id.
public final class RunningProcess: Sendable {
  /// Its process id.
  public let id: pid_t
  /// The path of the folder of its reports. The calling process can open this path, even if the two processes have
  /// different roots.
  public let folderPath: String
  /// Readable once it has ended.
  let descriptor: Int32
  let folder: Int32
  /// Its number in its own namespace: names of reports begin with the time and this.
  let ownID: String
  /// The file of breadcrumbs of the program that it runs: another program has another one.
  let ring: Substring

  /// Checks whether a process can be asked for a capture.
  ///
  /// - Throws: `CaptureFailure`. Its status is 66 if there is no such process; 65 if the id belongs to a thread, or if
  ///   the process has no CrashKit or no folder for reports; 74 if this user may not look at the process.
  public init(_ id: pid_t) throws(CaptureFailure) {
    let files = ProcessFiles(process: id)
    descriptor = try files.openProcess(to: "asked")
    do throws(CaptureFailure) {
      self.id = id
      guard let ring = try files.ringPath() else {
        throw .refused("does not use CrashKit, or has no folder for reports (--stop works without both)")
      }
      self.ring = ring
      guard try files.hears() else { throw .refused("has a CrashKit that is switched off") }
      ownID = try files.status("NSpid").last.map(String.init) ?? String(id)
      let path = String(ring[..<(ring.lastIndex(of: "/") ?? ring.startIndex)])
      // It may have another root than this process.
      folder = open("/proc/\(id)/root\(path)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { throw .system("its folder for reports (\(path)) cannot be opened", errno) }
      var (here, there) = (stat(), stat())
      let isSame = fstat(folder, &there) == 0 && stat(path, &here) == 0 && here.isSameFile(as: there)
      folderPath = isSame ? path : "/proc/\(id)/root\(path)"
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    close(folder)
    close(descriptor)
  }
}

import Foundation

/// The core file that the kernel writes of a program's death.
enum KernelCore {
  /// Whether the kernel puts it into the program's working folder.
  static let isKept = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) == "core\n"

  /// The words that start a program so that its core file comes into a folder; the program's own follow. The Swift
  /// runtime's backtracer, which would stop the threads in a handler of its own first, is off.
  static func launch(in folder: TemporaryFolder) -> [String] {
    let script = "ulimit -c unlimited; export SWIFT_BACKTRACE=enable=no; cd \"$0\" && exec \"$@\""
    return ["/bin/sh", "-c", script, folder.url.path]
  }

  /// What `crashsym --format json` makes of the core file in a folder. A debug build of it on a busy machine needs long.
  static func report<Report: Decodable>(in folder: TemporaryFolder, as type: Report.Type) throws -> Report {
    let core = folder.url.appending(path: "core").path
    let run = try ProgramRun.run([Products.crashsym, "--format", "json", core], seconds: 300)
    guard run.end == .exited(0) else { throw Unreadable(reason: run.standardError) }
    return try JSONDecoder().decode(type, from: Data(run.standardOutput.utf8))
  }

  struct Unreadable: Error {
    var reason: String
  }
}

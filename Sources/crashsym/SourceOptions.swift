import ArgumentParser
import CrashReportView
import Glibc
import LinuxCalls

/// The places of a program's sources: options of every command that shows reports.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      """
      Also show source lines of files in this folder; may be repeated. FROM=TO says that sources built in the folder \
      FROM are now in TO, as in --source /build=. for a program built in a container. Without this option, only files \
      in the working folder and in the repository around it are shown.
      """, valueName: "dir|from=to"))
  var given: [String] = []

  @Flag(name: .customLong("no-source"), help: "Show no source lines.")
  var isOff = false

  /// The folders as given.
  ///
  /// - Parameter hidesUsers: Whether the names of users are left out of the paths that are shown.
  /// - Throws: `ExitCode` 64 after a line that says which value is wrong.
  func folders(hidesUsers: Bool) throws -> SourceFolders {
    do throws(SourceRule.Mistake) {
      return try SourceFolders(workingDirectory: .working(), arguments: given, hidesUsers: hidesUsers)
    } catch {
      Output.note(error.text)
      throw ExitCode(64)
    }
  }
}

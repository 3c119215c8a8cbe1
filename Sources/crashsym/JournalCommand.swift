import ArgumentParser
import CrashReportModel
import CrashReportReading
import Glibc
import LinuxCalls
import SystemJournal

/// `crashsym journal [--file FILE] [MATCH]`
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "List the crashes in systemd's journal, or show one.",
    discussion: """
      Lists the crashes that CrashKit (CRASHKIT_OPTIONS=journal=yes), crashsym send --to journal and systemd-coredump \
      wrote, the oldest first. With a match, it shows all details of those crashes. CORE and REPORT say whether the \
      core file and the report exist; crashsym FILE shows such a file. The command opens no file that a record names. \
      It reads the records with journalctl, which must be installed. journalctl decides which records you may see. \
      Docs/journald.md describes the fields.

      Exit status: 0 done; 64 usage; 66 no such file, or no such crash; 74 input/output, or journalctl \
      is not installed.
      """)

  @Option(help: ArgumentHelp("Read this journal file instead of the machine's journal.", valueName: "file"))
  var file: String?

  @Argument(
    help: ArgumentHelp(
      "Show only the crashes of a process number, a process name or a program path.", valueName: "match"))
  var match: String?

  func run() throws {
    let shown: [JournalCrash]
    do throws(ReadingError) {
      shown = try Journalctl.crashes(file: file, of: match)
      if let match, shown.isEmpty {
        throw ReadingError(.noInput, "no such crash in the journal: \(match.harmlessName)")
      }
    } catch {
      if let file { Output.complain(error.what, file) } else { Output.note(error.what) }
      throw ExitCode(error.status)
    }
    guard !shown.isEmpty else { return Output.note("no crash in the journal") }
    try Output.show(match == nil ? JournalText.list(shown) : shown.map(JournalText.details).joined(separator: "\n"))
  }
}

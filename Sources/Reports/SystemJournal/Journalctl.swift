import CLinuxCalls
import CrashReportReading
import Glibc
import LinuxCalls

/// Reads crashes with the program `journalctl`, which knows every format of journal files.
public enum Journalctl {
  /// The highest number of bytes that are read of its output.
  private static let longestOutput = 64 << 20

  /// The crashes of a journal file, or of the machine's journal, the oldest first.
  ///
  /// - Parameter match: Selects crashes by the process's id or name, or by the program's path. The result then includes
  ///   the crashes' messages. `nil` selects all crashes, without messages.
  /// - Throws: `ReadingError` if there is no such file, or if journalctl is missing or fails; the error has
  ///   journalctl's own message.
  public static func crashes(file: String?, of match: String? = nil) throws(ReadingError) -> [JournalCrash] {
    if let file, access(file, R_OK) != 0 { throw ReadingError(.noInput, "cannot be read: \(errorText(errno))") }
    var words = ["journalctl", "--no-pager", "--quiet", "--output=export"]
    let fields = JournalCrash.fields + (match == nil ? [] : [JournalCrash.message])
    words.append("--output-fields=\(fields.joined(separator: ","))")
    words += file.map { ["--file=\($0)"] } ?? []
    // Values of one field are alternatives, fields are not, and "+" separates alternatives of all that.
    let crashes = JournalCrash.messageIDs.map { "MESSAGE_ID=\($0)" }
    let questions = match.map { text in JournalCrash.names.map { crashes + ["\($0)=\(text)"] } } ?? [crashes]
    words += questions.joined(separator: ["+"])
    return JournalExport.entries(in: try output(of: words)).compactMap(JournalCrash.init)
  }

  private static func output(of words: [String]) throws(ReadingError) -> [UInt8] {
    var pipe: [Int32] = [-1, -1]
    let refusal = linux_pipe(&pipe)
    guard refusal == 0 else { throw ReadingError(.inputOutput, "no pipe: \(errorText(refusal))") }
    defer { close(pipe[0]) }
    let process = start(words, output: pipe[1])
    close(pipe[1])
    guard let process else { throw ReadingError(.inputOutput, "journalctl cannot be started; is systemd installed?") }
    var bytes: [UInt8] = []
    var failure: ReadingError?
    do throws(ReadingError) {
      while true {
        let chunk = try InputFile.readChunk(pipe[0], atMost: 1 << 20)
        if chunk.isEmpty { break }
        bytes += chunk
        guard bytes.count <= longestOutput else {
          throw ReadingError(.inputOutput, "more than \(longestOutput >> 20) MiB of crashes")
        }
      }
    } catch {
      failure = error
      kill(process, SIGKILL)
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    if let failure { throw failure }
    guard status == 0 else { throw ReadingError(.inputOutput, "journalctl could not read it") }
    return bytes
  }

  /// `nil` if there is no such program.
  private static func start(_ words: [String], output: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    linux_spawn_with_own_signals(&attributes)
    var process: pid_t = 0
    let code = withSystemTexts(words) { words in
      posix_spawnp(&process, words[0]!, &actions, &attributes, words, environ)
    }
    return code == 0 ? process : nil
  }
}

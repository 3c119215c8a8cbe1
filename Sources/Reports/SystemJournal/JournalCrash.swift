import CrashReportModel
import Glibc
import LinuxCalls

/// A crash in systemd's journal, written by CrashKit, by `crashsym send --to journal` or by systemd-coredump.
public struct JournalCrash: Sendable, Hashable {
  /// The state of a core file or a report file.
  public enum FileState: String, Sendable {
    case none, present, truncated, missing
    /// The file may exist, but this user cannot read it.
    case error
  }

  /// The ids of the two kinds of records that `coredumpctl` treats as crashes: a core, and a stack that a program wrote
  /// itself.
  public static let messageIDs = ["fc2e22bc6ee647b6b90729ab34a250b1", "1f4e0a44a88649939aaea34fc6da8c95"]

  /// The fields that are read. Other fields are not read, because they may hold a whole core.
  public static let fields = [
    "MESSAGE_ID", "COREDUMP_PID", "COREDUMP_UID", "COREDUMP_GID", "COREDUMP_SIGNAL", "COREDUMP_SIGNAL_NAME",
    "COREDUMP_TIMESTAMP", "COREDUMP_HOSTNAME", "COREDUMP_COMM", "COREDUMP_EXE", "COREDUMP_UNIT",
    "COREDUMP_PACKAGE_NAME",
    "COREDUMP_PACKAGE_VERSION", "COREDUMP_FILENAME", "COREDUMP_TRUNCATED", "CRASHKIT_FINGERPRINT", "CRASHKIT_CAUSE",
    "CRASHKIT_CONTEXT", "CRASHKIT_TRACE_ID", "CRASHKIT_REPORT",
  ]

  /// The field that is read only for crashes that are shown one by one.
  static let message = "MESSAGE"

  /// The fields by which a user may name a crash: the process's id, its name, the program's path.
  static let names = ["COREDUMP_PID", "COREDUMP_COMM", "COREDUMP_EXE"]

  private let entry: JournalExport.Entry

  /// - Returns: `nil` if the entry is not a crash.
  public init?(_ entry: JournalExport.Entry) {
    guard let id = entry["MESSAGE_ID"], Self.messageIDs.contains(id) else { return nil }
    self.entry = entry
    guard ["COREDUMP_PID", "COREDUMP_EXE", "COREDUMP_COMM", "COREDUMP_SIGNAL"].contains(where: { entry[$0] != nil })
    else {
      return nil
    }
  }

  /// The value of a field, unless it is empty.
  public subscript(_ field: String) -> String? { entry[field].flatMap { $0.isEmpty ? nil : $0 } }

  /// When the process died. If the record does not have this time, this is the time when the record was written; `nil`
  /// if the record has neither time.
  public var time: Timestamp? {
    (self["COREDUMP_TIMESTAMP"] ?? entry["__REALTIME_TIMESTAMP"]).flatMap { Int64($0) }
      .flatMap { (0..<253_402_300_800_000_000).contains($0) ? Timestamp(microsecondsSince1970: $0) : nil }
  }

  /// The signal's name, such as `SIGSEGV`. If the recorded number is not that of a signal, this is the recorded text;
  /// `nil` if there is no text.
  public var signal: String? {
    if let name = self["COREDUMP_SIGNAL_NAME"] { return name }
    guard let text = self["COREDUMP_SIGNAL"] else { return nil }
    return Int32(text).flatMap { CrashReport.Signal.name(of: $0) } ?? text
  }

  public var core: FileState { state(of: "COREDUMP_FILENAME", isCut: self["COREDUMP_TRUNCATED"] == "1") }
  public var report: FileState { state(of: "CRASHKIT_REPORT", isCut: false) }

  /// Nothing is opened: the path may lead anywhere.
  private func state(of field: String, isCut: Bool) -> FileState {
    guard let path = self[field], path.hasPrefix("/") else { return .none }
    var status = stat()
    guard LinuxCalls.lstat(path, &status) == 0 else { return errno == ENOENT ? .missing : .error }
    guard status.st_mode & S_IFMT == S_IFREG, LinuxCalls.access(path, R_OK) == 0 else { return .error }
    return isCut ? .truncated : .present
  }
}

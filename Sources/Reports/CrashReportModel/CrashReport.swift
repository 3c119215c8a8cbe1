/// A crash report in the JSON of `Docs/report-format.md`, from CrashKit or from the Swift runtime's backtracer.
///
/// Every key may be missing. Unknown keys are kept.
public struct CrashReport: ReportSection {
  public var fields: JSONObject
  public init(fields: JSONObject) { self.fields = fields }

  /// The schema: `crashkit/1`; absent in a log of the Swift runtime.
  public var schema: String? {
    get { self["schema"] }
    set { self["schema"] = newValue }
  }

  /// Whether a later CrashKit wrote the report in a newer form. This model describes only `crashkit/1`.
  public var hasLaterSchema: Bool { schema.map { $0.hasPrefix("crashkit/") && $0 != "crashkit/1" } ?? false }

  /// When the event happened.
  public var timestamp: Timestamp? {
    get { self["timestamp"] }
    set { self["timestamp"] = newValue }
  }

  /// What the report is about.
  public var kind: Kind? {
    get { self["kind"] }
    set { self["kind"] = newValue }
  }

  /// What happened, in words: the signal, or for `capture()` the text that the program gave.
  public var description: String? {
    get { self["description"] }
    set { self["description"] = newValue }
  }

  /// The signal that ended the process.
  public var signal: Signal? {
    get { self["signal"] }
    set { self["signal"] = newValue }
  }

  /// The address whose use failed, or the address of the failing instruction.
  public var faultAddress: Address? {
    get { self["faultAddress"] }
    set { self["faultAddress"] = newValue }
  }

  /// Why the process died, in a sentence for people; programs compare `causeCode`.
  public var cause: String? {
    get { self["cause"] }
    set { self["cause"] = newValue }
  }

  /// The program's last message: a fatal error, an abort text, an exception.
  public var message: String? {
    get { self["message"] }
    set { self["message"] = newValue }
  }

  /// The context of the crashed thread.
  public var context: Context? {
    get { self["context"] }
    set { self["context"] = newValue }
  }

  /// The operating system in words, such as `Linux (Debian GNU/Linux 12 (bookworm))`.
  public var platform: String? {
    get { self["platform"] }
    set { self["platform"] = newValue }
  }

  /// The processor's architecture as Swift names it, such as `x86_64`.
  public var architecture: String? {
    get { self["architecture"] }
    set { self["architecture"] = newValue }
  }

  /// The process.
  public var process: Process? {
    get { self["process"] }
    set { self["process"] = newValue }
  }

  /// The application that runs in the process.
  public var application: Application? {
    get { self["application"] }
    set { self["application"] = newValue }
  }

  /// The binaries that were loaded into the process.
  public var images: [Image]? {
    get { self["images"] }
    set { self["images"] = newValue }
  }

  /// How many images were left out of `images`.
  public var omittedImages: Int? {
    get { self["omittedImages"] }
    set { self["omittedImages"] = newValue }
  }

  /// The threads. In CrashKit's reports the crashed thread comes first.
  public var threads: [Thread]? {
    get { self["threads"] }
    set { self["threads"] = newValue }
  }

  /// How many threads were left out. Only reports that were read from a Swift runtime's log have this.
  public var omittedThreads: Int? {
    get { self["omittedThreads"] }
    set { self["omittedThreads"] = newValue }
  }

  /// The guarded memory that caused the crash.
  public var guarded: Guarded? {
    get { self["guarded"] }
    set { self["guarded"] = newValue }
  }

  /// The last errors that were thrown, oldest first.
  public var thrown: [ThrownError]? {
    get { self["thrown"] }
    set { self["thrown"] = newValue }
  }

  /// How many thrown errors are missing from the list `thrown`.
  public var omittedThrown: Int? {
    get { self["omittedThrown"] }
    set { self["omittedThrown"] = newValue }
  }

  /// Threads that wait for each other in a circle.
  public var deadlock: Deadlock? {
    get { self["deadlock"] }
    set { self["deadlock"] = newValue }
  }

  /// The live Swift tasks, the oldest first. If there were many, the list is not complete.
  public var tasks: [LiveTask]? {
    get { self["tasks"] }
    set { self["tasks"] = newValue }
  }

  /// How many of the found tasks are missing from the list `tasks`.
  public var omittedTasks: Int? {
    get { self["omittedTasks"] }
    set { self["omittedTasks"] = newValue }
  }

  /// Pieces of memory: the keys are addresses, and the values are the bytes in hexadecimal.
  public var capturedMemory: JSONObject? {
    get { self["capturedMemory"] }
    set { self["capturedMemory"] = newValue }
  }

  /// Where three addresses of a crash are in the memory map: the fault address, the program counter and the stack
  /// pointer.
  public var fault: Fault? {
    get { self["fault"] }
    set { self["fault"] = newValue }
  }

  /// The open descriptors of the process when it crashed.
  public var descriptors: Descriptors? {
    get { self["descriptors"] }
    set { self["descriptors"] = newValue }
  }

  /// The breadcrumbs that the program recorded before the event, oldest first.
  public var breadcrumbs: [Breadcrumb]? {
    get { self["breadcrumbs"] }
    set { self["breadcrumbs"] = newValue }
  }

  /// How many breadcrumbs were overwritten by later ones.
  public var omittedBreadcrumbs: Int? {
    get { self["omittedBreadcrumbs"] }
    set { self["omittedBreadcrumbs"] = newValue }
  }

  /// The program's own keys and values.
  public var attributes: JSONObject? {
    get { self["attributes"] }
    set { self["attributes"] = newValue }
  }

  /// The last value of each registered metric.
  public var metrics: [Metric]? {
    get { self["metrics"] }
    set { self["metrics"] = newValue }
  }

  /// A broken rule, with its locks, threads and stacks.
  public var violation: Violation? {
    get { self["violation"] }
    set { self["violation"] = newValue }
  }

  /// A hang: its length, and what the thread did.
  public var hang: Hang? {
    get { self["hang"] }
    set { self["hang"] = newValue }
  }

  /// The process's memory in bytes.
  public var memory: Memory? {
    get { self["memory"] }
    set { self["memory"] = newValue }
  }

  /// The machine.
  public var host: Host? {
    get { self["host"] }
    set { self["host"] = newValue }
  }

  /// How the report was made.
  public var capture: Capture? {
    get { self["capture"] }
    set { self["capture"] = newValue }
  }

  /// The images whose symbols are missing or not verified; only in symbolicated reports.
  public var symbolication: Symbolication? {
    get { self["symbolication"] }
    set { self["symbolication"] = newValue }
  }

  /// How many seconds passed from the signal to the last stack.
  public var backtraceTime: Double? {
    get { self["backtraceTime"] }
    set { self["backtraceTime"] = newValue }
  }

  /// The kind of an event.
  public enum Kind: String, JSONRepresentable, Sendable, CaseIterable {
    case crashReport, hang, lockOrderInversion, deadlock, lockMisuse, mainQueueViolation, dataRace, nan, capture
    case uncleanExit, starvedPool, stuckTask, leakedContinuation, error
  }
}

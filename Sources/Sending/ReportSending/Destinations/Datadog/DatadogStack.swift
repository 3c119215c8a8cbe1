import CrashReportModel
import CrashReportView

/// Stacks in the format "Datadog Crashtracker 1.0".
struct DatadogStack {
  private static let format = "Datadog Crashtracker 1.0"

  private let images: ImageTable

  init(_ report: CrashReport) { images = ImageTable(report) }

  /// What stands in place of a stack that was not captured.
  var missing: JSONObject { object([], isIncomplete: true) }

  /// The stack, innermost first, of at most `limit` frames; `nil` without frames.
  func json(of frames: [CrashReport.Frame]?, atMost limit: Int, text: Int) -> JSONObject? {
    let frames = frames ?? []
    let real = frames.filter { $0.kind != .omittedFrames && $0.kind != .truncated }
    guard !real.isEmpty else { return nil }
    return object(
      real.prefix(limit).map { json(of: $0, text: text) }, isIncomplete: real.count < frames.count || real.count > limit
    )
  }

  private func object(_ frames: [JSONObject], isIncomplete: Bool) -> JSONObject {
    var object = JSONObject()
    object["format"] = Self.format.json
    object["frames"] = frames.json
    object["incomplete"] = isIncomplete.json
    return object
  }

  private func json(of frame: CrashReport.Frame, text limit: Int) -> JSONObject {
    var object = JSONObject()
    let image = frame.address.flatMap { images[$0.value] }
    object["ip"] = frame.address?.json
    object["symbol_address"] = frame.symbolAddress?.json
    if let image, let address = frame.address {
      object["module_base_address"] = Address(image.base).json
      object["relative_address"] = Address(address.value - image.base).json
      if let buildID = image.image.buildID {
        object["build_id"] = SentryText.line(buildID, atMost: 80).lowercased().json
        object["build_id_type"] = "GNU".json
      }
      object["file_type"] = "ELF".json
    }
    object["path"] = (image?.image.path ?? image?.image.name ?? frame.image).map {
      SentryText.text($0, atMost: limit).json
    }
    object["function"] = frame.name.map { SentryText.text($0, atMost: limit).json }
    let mangled = frame.symbol.flatMap { $0 == frame.name ? nil : $0 }
    object["mangled_name"] = mangled.map { SentryText.text($0, atMost: limit).json }
    guard let location = frame.sourceLocation, let file = location.file else { return object }
    object["file"] = SentryText.text(file, atMost: limit).json
    object["line"] = location.line.flatMap { $0 > 0 ? $0.json : nil }
    object["column"] = location.column.flatMap { $0 > 0 ? $0.json : nil }
    return object
  }
}

/// The names of signals and codes that the intake knows.
enum DatadogSignals {
  private static let names: Set = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
    "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU",
    "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGSYS",
  ]
  private static let codes: Set = [
    "BUS_ADRALN", "BUS_ADRERR", "BUS_MCEERR_AO", "BUS_MCEERR_AR", "BUS_OBJERR", "ILL_BADSTK", "ILL_COPROC",
    "ILL_ILLADR", "ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLTRP", "ILL_PRVOPC", "ILL_PRVREG", "SEGV_ACCERR", "SEGV_BNDERR",
    "SEGV_MAPERR", "SEGV_PKUERR", "SI_ASYNCIO", "SI_KERNEL", "SI_MESGQ", "SI_QUEUE", "SI_SIGIO", "SI_TIMER",
    "SI_TKILL", "SI_USER", "SYS_SECCOMP",
  ]

  static func name(_ name: String?) -> String { name.flatMap { names.contains($0) ? $0 : nil } ?? "UNKNOWN" }
  static func code(_ name: String?) -> String { name.flatMap { codes.contains($0) ? $0 : nil } ?? "UNKNOWN" }
}

import ArgumentParser
import CommandEntry
import CrashReportModel
import CrashReportView
import CurlTransport
import Glibc
import LinuxCalls
import ReportSending
import ReportSymbolication
import Symbolication

/// `crashsym send --to KIND:PLACE DIR…`
struct SendCommand: ParsableCommand {
  private static var kinds: String {
    Destinations.all.map { type in
      let variable = type.variable.map { " (without \(type.place): \($0))" } ?? ""
      return type.kind + (type.place.isEmpty ? "" : ":\(type.place)") + " \(type.summary)\(variable)"
    }.joined(separator: "; ")
  }

  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Hand the reports of a folder on to a place where a team looks.",
    discussion: """
      Sends each report of the folders (*.json) once: with its frames filled in, and scrubbed. It runs beside the \
      program, from a timer or with --follow. A report that is not accepted is kept and sent again. Of reports with one \
      fingerprint, one a minute is sent, and a count of the rest. What was sent is noted down in the folder.

      Destinations: \(kinds).

      The place of a destination may be a secret: env:NAME takes it from an environment variable, file:PATH from a \
      file. Docs/sending.md describes each destination.

      Environment: https_proxy, http_proxy, no_proxy, all_proxy; SSL_CERT_FILE, the certificates without --ca-file; \
      SENTRY_ENVIRONMENT; OpenTelemetry's OTEL_… variables; Datadog's DD_… variables.

      Exit status: 0 all is sent, or another crashsym sends it; 64 usage; 65 all is sent but what was no report or was \
      rejected; 66 no such folder; 69 libcurl is not installed; 74 input/output; 75 something is left for later.
      """)

  @Option(
    help: ArgumentHelp("Where to send: KIND:PLACE, KIND:env:NAME or KIND:file:PATH.", valueName: "destination"))
  var to: String

  @Flag(help: "Stay, and send reports as they are written.")
  var follow = false

  @Flag(help: "Send reports as they are, with the program's own texts and values.")
  var unscrubbed = false

  @Option(
    help: ArgumentHelp(
      "Leave the value of this attribute as it is, such as request.id; may be given many times.", valueName: "key"))
  var keep: [String] = []

  @Flag(help: "Send again what the server rejected.")
  var retryRejected = false

  @Option(
    help: ArgumentHelp(
      "The key of a place that wants one beside its URL, from env:NAME or file:PATH.", valueName: "place"))
  var key: String?

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("Wait so many seconds at most for an answer.", valueName: "seconds"))
  var timeout = 30

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  @Argument(help: "Folders of reports.")
  var folders: [String]

  mutating func validate() throws {
    guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is a number of seconds, 3600 at most") }
    guard !unscrubbed || keep.isEmpty else { throw ValidationError("--unscrubbed keeps all attributes, --keep some") }
  }

  func run() throws {
    try symbolFolders.check()
    // If a server closes a connection, the write itself fails.
    signal(SIGPIPE, SIG_IGN)
    let surroundings = Surroundings { Output.complain($0, $1) }
    try NetworkOptions.complaining {
      let (destination, transport) = try means()
      let symbolicator = symbolFolders.symbolicator(cache: cache)
      var drainers: [Drainer] = []
      for folder in folders {
        let drainer = try Drainer(
          folder: folder, destination: destination, transport: transport, preparation: preparation(symbolicator),
          surroundings: surroundings, reader: Crashsym.version)
        if try !drainer.begin(waits: false, retriesRejected: retryRejected) {
          let end = follow ? "; this one waits for its end" : ""
          Output.complain("another crashsym sends its reports there\(end)", folder)
          guard follow, try drainer.begin(waits: true, retriesRejected: retryRejected) else { continue }
        }
        drainers.append(drainer)
      }
      let run = SendRun(drainers, surroundings)
      if follow { return try run.follow() }
      let status = try run.once()
      symbolicator.saveIndex()
      // At once: to free all that was decoded takes a while, and the process ends anyway.
      Glibc.exit(status)
    }
  }

  /// Where reports go, and by what.
  private func means() throws -> (any Destination, any Transport) {
    var settings = try network.settings()
    if let key { settings.key = try SecretPlace(key).readHidden(settings, "--key") }
    let destination = try Destinations.named(to, settings)
    if let transport = destination.ownTransport { return (destination, transport) }
    return (destination, try network.transport(settings, seconds: timeout))
  }

  private func preparation(_ images: Symbolicator) -> ReportPreparation {
    let symbolicator = ReportSymbolicator(images)
    return ReportPreparation { report in
      symbolicator.summary(of: report).fingerprint
    } prepared: { [unscrubbed, kept = Set(keep)] report in
      let report = symbolicator.symbolicate(report)
      return unscrubbed ? report : report.scrubbed(keeping: kept)
    }
  }
}

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
    commandName: "send", abstract: "Send the reports of a folder to a place that your team watches.",
    discussion: """
      Sends each report of the folders (*.json) once, symbolicated and scrubbed. Run it on the program's machine, from \
      a timer or with --follow. If a report is not accepted, it stays and is sent again. Of all reports with the same \
      fingerprint in a minute, it sends one report and a count of the others. The command keeps a list of sent reports \
      in the folder.

      Destinations: \(kinds).

      If the address of a destination is a secret, env:NAME takes it from an environment variable, and file:PATH from \
      a file. Docs/sending.md describes each destination.

      Environment: https_proxy, http_proxy, no_proxy, all_proxy; SSL_CERT_FILE, the certificates without --ca-file; \
      SENTRY_ENVIRONMENT; OpenTelemetry's OTEL_… variables; Datadog's DD_… variables.

      Exit status: 0 all reports are sent, or another crashsym process sends them; 64 usage; 65 all others are sent, \
      but a file was not a report or was rejected; 66 no such folder; 69 libcurl is not installed; 74 input/output; 75 \
      some reports are not sent yet.
      """)

  @Option(
    help: ArgumentHelp("The destination: KIND:PLACE, KIND:env:NAME or KIND:file:PATH.", valueName: "destination"))
  var to: String

  @Flag(help: "Keep running, and send reports when they are written.")
  var follow = false

  @Flag(help: "Send reports as they are, with the program's own texts and values.")
  var unscrubbed = false

  @Option(
    help: ArgumentHelp(
      "Do not scrub the value of this attribute, such as request.id; may be repeated.", valueName: "key"))
  var keep: [String] = []

  @Flag(help: "Send rejected reports again.")
  var retryRejected = false

  @Option(
    help: ArgumentHelp(
      "The key, if the destination needs one besides its URL, from env:NAME or file:PATH.", valueName: "place"))
  var key: String?

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("Wait at most this number of seconds for an answer.", valueName: "seconds"))
  var timeout = 30

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  @Argument(help: "Folders of reports.")
  var folders: [String]

  mutating func validate() throws {
    guard (1...3600).contains(timeout) else { throw ValidationError("--timeout must be 1 to 3600 seconds") }
    guard !unscrubbed || keep.isEmpty else {
      throw ValidationError("--unscrubbed keeps all attributes; leave out --keep")
    }
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
          let end = follow ? "; this process waits until that one ends" : ""
          Output.complain(
            "another crashsym process is already sending reports from this folder to this destination\(end)", folder)
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

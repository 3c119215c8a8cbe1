import ArgumentParser
import CrashReportModel
import CurlTransport
import Glibc
import LinuxCalls
import ReportSending
import SymbolStore
import SymbolUploading

/// `crashsym symbols upload DIR --to URL`
struct SymbolsUploadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload", abstract: "Upload a folder of symbols to a server, for example in a release job.",
    discussion: """
      Uploads each file of a folder of symbols add to URL/buildid/ID/debuginfo or URL/buildid/ID/executable by HTTP \
      PUT. debuginfod's clients ask for these URLs. Any server works that stores the files and returns them. Existing \
      files are not sent again, so you can repeat the command.

      sentry:URL uploads the files to a Sentry project (--org, --project), as debug files for its events. sentry alone \
      means SENTRY_URL, or Sentry's own server.

      Environment: SENTRY_URL, SENTRY_ORG, SENTRY_PROJECT, SENTRY_AUTH_TOKEN; https_proxy, http_proxy, no_proxy, all_proxy; SSL_CERT_FILE, the certificates without --ca-file.

      Exit status: 0 the server has all files; 64 usage; 65 the server refused a file, or the folder has none; 66 no \
      such folder; 69 libcurl is not installed (for Sentry also libcrypto); 75 some files are not uploaded yet.
      """)

  @Option(
    help: ArgumentHelp(
      "The server: a URL, env:NAME or file:PATH. For a Sentry server, put 'sentry:' before it.", valueName: "url"))
  var to: String

  @Option(help: ArgumentHelp("The server's key (Bearer), from env:NAME or file:PATH.", valueName: "place"))
  var key: String?

  @Option(help: ArgumentHelp("Sentry's organisation; without this option, SENTRY_ORG is used.", valueName: "name"))
  var org: String?

  @Option(help: ArgumentHelp("Sentry's project; without this option, SENTRY_PROJECT is used.", valueName: "name"))
  var project: String?

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("Wait at most this number of seconds for one file.", valueName: "seconds"))
  var timeout = 600

  @Argument(help: "The folder of symbols.")
  var folder: String

  mutating func validate() throws {
    guard (1...86_400).contains(timeout) else {
      throw ValidationError("--timeout must be 1 to 86400 seconds")
    }
    guard sentry != nil || (org == nil && project == nil) else {
      throw ValidationError("--org and --project need --to sentry:URL")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try NetworkOptions.complaining {
      let store: StoreReader
      do throws(FilingFailure) {
        store = try StoreReader(path: folder)
      } catch {
        throw SendFailure(what: "\(error.what): \(error.path)", status: 66)
      }
      var settings = try network.settings()
      if let key { settings.key = try SecretPlace(key).readHidden(settings, "--key") }
      let status = try send(try receiver(store, settings))
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// The text after `sentry:`; nil for any other server.
  private var sentry: String? {
    if to == "sentry" { return "" }
    return to.hasPrefix("sentry:") ? String(to.dropFirst("sentry:".count)) : nil
  }

  private func receiver(_ store: StoreReader, _ settings: DestinationSettings) throws -> any SymbolReceiver {
    guard let sentry else {
      let place = try SecretPlace(to).read(settings, "--to")
      return try SymbolUpload(store, to: place, settings, by: try network.transport(settings, seconds: timeout))
    }
    func value(_ variable: String, _ option: String) throws(DestinationError) -> String {
      guard let value = settings.variable(variable), !value.isEmpty else {
        throw DestinationError("for a Sentry server, set \(option) or \(variable)")
      }
      return value
    }
    let place = sentry.isEmpty ? settings.variable("SENTRY_URL") ?? "" : try SecretPlace(sentry).read(settings, "--to")
    let owner = SentryUpload.Project(
      organisation: try org ?? value("SENTRY_ORG", "--org"),
      name: try project ?? value("SENTRY_PROJECT", "--project"),
      token: try settings.key ?? value("SENTRY_AUTH_TOKEN", "--key"))
    return try SentryUpload(
      store, to: place, owner, settings, by: try network.transport(settings, seconds: timeout),
      patience: .seconds(timeout))
  }

  /// The exit status.
  private func send(_ upload: any SymbolReceiver) throws(SendFailure) -> Int32 {
    let files = upload.files
    guard !files.isEmpty else { throw SendFailure(what: "no file with a build ID: \(folder.harmlessName)", status: 65) }
    var status: Int32 = 0
    for file in files {
      switch upload.upload(file) {
      case .uploaded: print("\(file.path): uploaded")
      case .alreadyThere: print("\(file.path): already there")
      case .refused(let why):
        Output.complain(why, file.path)
        if status == 0 { status = 65 }
      case .failed(let why):
        // The others would fare no better.
        Output.complain("\(why), so this file and the remaining files are not uploaded yet", file.path)
        return 75
      }
    }
    return status
  }
}

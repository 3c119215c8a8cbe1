import ArgumentParser
import CurlTransport
import Glibc
import LinuxCalls
import ReportSending

/// How a command reaches servers.
struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also send these headers, one in each line (Name: value), from env:NAME or file:PATH.", valueName: "place"))
  var headers: String?

  @Option(help: ArgumentHelp("Trust the certificates in this file instead of the system's.", valueName: "file"))
  var caFile: String?

  @Option(
    help: ArgumentHelp("Send through this proxy; use env:NAME or file:PATH if it has a password.", valueName: "url"))
  var proxy: String?

  private static let client = "crashsym/\(Crashsym.version)"

  /// Does what sends. If that fails, prints why in a line.
  ///
  /// - Throws: `ExitCode` with the failure's status.
  static func complaining(_ work: () throws -> Void) throws {
    do {
      try work()
    } catch let error as SendFailure {
      Output.note(error.what)
      throw ExitCode(error.status)
    } catch let error as DestinationError {
      Output.note(error.what)
      throw ExitCode(64)
    }
  }

  /// The environment, and the headers that the user gave.
  func settings() throws(DestinationError) -> DestinationSettings {
    var settings = DestinationSettings(variable: { environment($0) }, client: Self.client)
    if let headers { settings.headers = try HeaderLines.read(SecretPlace(headers), settings) }
    return settings
  }

  /// - Throws: `DestinationError` if the proxy cannot be read; `SendFailure` if there is no such file, or no libcurl.
  func transport(_ settings: DestinationSettings, seconds: Int) throws -> CurlTransport {
    let options = CurlTransport.Options(
      caFile: caFile ?? environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 },
      proxy: try proxy.map { try SecretPlace($0).read(settings, "--proxy") }, timeLimit: .seconds(seconds),
      client: Self.client)
    if let file = caFile, access(file, R_OK) != 0 {
      throw SendFailure(what: "no such file of certificates: \(file)", status: 66)
    }
    guard let transport = CurlTransport(options) else {
      throw SendFailure(what: "libcurl is not installed (libcurl.so.4; Debian's package libcurl4)", status: 69)
    }
    return transport
  }
}

import ArgumentParser
import CrashReportModel
import Glibc
import LinuxCalls
import SymbolServing
import SymbolStore

/// `crashsym symbols serve DIR`
struct SymbolsServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve a folder of symbols to gdb, debuginfod-find and crashsym.",
    discussion: """
      Uses debuginfod's protocol, so programs that use DEBUGINFOD_URLS can read from it. It serves only \
      DIR/.build-id/xx/yyyy.debug and DIR/.build-id/xx/yyyy, as symbols add stores them, and follows no link. \
      Everyone who can connect can read; without --listen only this machine can connect. SIGTERM or SIGINT ends it.

      Exit status: 0 ended by a signal; 64 usage; 66 no such folder; 74 the address is not available.
      """)

  @Option(help: ArgumentHelp("The address to listen on; port 0 takes any free port.", valueName: "host:port"))
  var listen = "127.0.0.1:8002"

  @Option(
    help: ArgumentHelp(
      "The highest number of connections at a time. If there are more, the server closes an idle one.",
      valueName: "count"))
  var connections = 64

  @Argument(help: "The folder of symbols.")
  var folder: String

  mutating func validate() throws {
    guard ListenAddress(listen) != nil else {
      throw ValidationError("--listen must be HOST:PORT, such as 127.0.0.1:8002")
    }
    guard (1...10_000).contains(connections) else { throw ValidationError("--connections must be from 1 to 10000") }
  }

  func run() throws {
    guard let address = ListenAddress(listen) else { return }
    let store: StoreReader
    do throws(FilingFailure) {
      store = try StoreReader(path: folder)
    } catch {
      Output.complain(error.what, error.path)
      throw ExitCode(66)
    }
    // Before there are threads, which have the same mask.
    var ends = sigset_t()
    sigemptyset(&ends)
    for signal in [SIGTERM, SIGINT] { sigaddset(&ends, signal) }
    pthread_sigmask(SIG_BLOCK, &ends, nil)
    signal(SIGPIPE, SIG_IGN)
    let server: SymbolServer
    do {
      server = try SymbolServer(store, host: address.host, port: address.port, connections: connections)
    } catch {
      Output.complain("cannot listen: \(error)", listen)
      throw ExitCode(74)
    }
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    print("serving \(folder.harmlessName) at http://\(host):\(server.port)")
    fflush(nil)
    var signal: Int32 = 0
    sigwait(&ends, &signal)
    server.stop()
  }
}

import ArgumentParser
import CrashReportReading
import Glibc
import LinuxCalls

#if Desk
  import DeskServer
  import DeskStore
#endif

/// `crashsym desk`
struct DeskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "desk", abstract: "Collect crash reports from programs, and show them in a browser.",
    discussion: """
      Takes reports by POST /api/reports, from crashsym send --to desk:URL for example, and shows them in groups. A \
      report that was accepted is on the disk. Without tokens, anyone who can connect may send; with --listen on another \
      address than loopback, every request needs a token. SIGTERM or SIGINT ends it.

      Environment: XDG_DATA_HOME, HOME, the data without --data; CRASHSYM_SYMBOLS, more folders of symbols.

      Exit status: 0 ended by a signal; 64 usage; 66 no such folder of symbols, or a file of hooks or \
      owners that cannot be read; 69 this crashsym has no desk, or libcurl, which --alerts needs, is missing; 74 the \
      address or the data cannot be had.
      """)

  @Option(help: ArgumentHelp("Where to listen; port 0 takes any that is free.", valueName: "host:port"))
  var listen = "127.0.0.1:8017"

  @Option(
    help: ArgumentHelp("Keep reports here, rather than in XDG_DATA_HOME/crashsym/desk.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "A host name by which browsers and programs reach the desk; may be repeated.", valueName: "host"))
  var name: [String] = []

  @Option(help: ArgumentHelp("Remove reports of crashes that are older than so many days.", valueName: "days"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("Keep so many of the latest reports, and remove the others.", valueName: "number"))
  var keepReports: Int?

  @Option(
    help: ArgumentHelp(
      "Send alerts to the hooks of this file: lines with webhook or slack, a URL, and kinds of alerts.",
      valueName: "file"))
  var alerts: String?

  @Option(
    help: ArgumentHelp("Show who owns the file where a program crashed, by this CODEOWNERS file.", valueName: "file"))
  var codeowners: String?

  @Option(help: ArgumentHelp("Make a token for this project, print it, and end.", valueName: "project"))
  var addToken: String?

  @Option(help: ArgumentHelp("Take the token of this project away, and end.", valueName: "project"))
  var removeToken: String?

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  mutating func validate() throws {
    guard ListenAddress(listen) != nil else {
      throw ValidationError("--listen is HOST:PORT, such as 127.0.0.1:8017")
    }
    guard keepDays.map({ (1...36_500).contains($0) }) ?? true else {
      throw ValidationError("--keep-days is a number from 1 to 36500")
    }
    guard keepReports.map({ $0 >= 1 }) ?? true else { throw ValidationError("--keep-reports is a number from 1") }
    guard addToken == nil || removeToken == nil else {
      throw ValidationError("--add-token and --remove-token are for one each")
    }
  }

  #if Desk
    func run() throws {
      try symbolFolders.check()
      let folder = try folder()
      guard let address = ListenAddress(listen) else { return }
      do {
        if let addToken { return try makeToken(addToken, folder) }
        if let removeToken { return try takeToken(removeToken, folder) }
        try serve(folder, address)
      } catch let error as StoreError {
        Output.complain(error.reason, error.path)
        throw ExitCode(74)
      }
    }

    private func folder() throws -> String {
      if let data { return data }
      if let home = environment("XDG_DATA_HOME"), home.hasPrefix("/") { return home + "/crashsym/desk" }
      guard let home = environment("HOME"), home.hasPrefix("/") else {
        Output.note("desk: neither XDG_DATA_HOME nor HOME is set; say where with --data")
        throw ExitCode(64)
      }
      return home + "/.local/share/crashsym/desk"
    }

    private func makeToken(_ project: String, _ folder: String) throws {
      guard Tokens.isName(project) else {
        throw ValidationError("a project has letters, digits, hyphens, points and underlines, 64 at most")
      }
      try DataFolder.make(folder)
      print(try Tokens(folder).make(project))
    }

    private func takeToken(_ project: String, _ folder: String) throws {
      guard try Tokens(folder).remove(project) else {
        Output.complain("there is no token of that project", project)
        throw ExitCode(66)
      }
    }

    private func serve(_ folder: String, _ address: ListenAddress) throws {
      signal(SIGPIPE, SIG_IGN)
      let data = try DataFolder(folder)
      let tokens = try Tokens(data.path)
      guard HostRule.isLoopback(address.host) || !tokens.isEmpty else {
        Output.complain(
          "other machines could connect, and there is no token; make one with --add-token PROJECT", listen)
        throw ExitCode(64)
      }
      let describer = ReportDescriber(symbolFolders.symbolicator(cache: cache))
      let store = try SQLiteStore(data) { try describer.describe($0, $1) }
      if let aside = store.setAside { Output.complain("the database was damaged; made again from the reports", aside) }
      for (id, reason) in store.unreadable { Output.complain("left out: \(reason)", id.text) }
      var configuration = Desk.Configuration(host: address.host, names: name)
      configuration.retention = Retention(days: keepDays, reports: keepReports)
      configuration.hooks = try hooks()
      configuration.owners = try owners()
      let desk = try made(store, tokens, describer, configuration)
      let host = address.host.contains(":") ? "[\(address.host)]" : address.host
      let failure = DeskServer.wait {
        try await DeskServer.run(desk, host: address.host, port: address.port) { port in
          print("crashsym desk: http://\(host):\(port)/")
          fflush(nil)
        }
      }
      guard let failure else { return }
      Output.complain("cannot listen: \(failure)", listen)
      throw ExitCode(74)
    }

    private func hooks() throws -> [AlertHook] {
      guard let alerts else { return [] }
      do throws(AlertFileError) {
        return try AlertHook.read(alerts)
      } catch {
        Output.complain(error.description, alerts)
        throw ExitCode(66)
      }
    }

    private func owners() throws -> CodeOwners {
      guard let codeowners else { return CodeOwners() }
      do throws(ReadingError) {
        return try CodeOwners(path: codeowners)
      } catch {
        Output.complain(error.what, codeowners)
        throw ExitCode(66)
      }
    }

    private func made(
      _ store: SQLiteStore, _ tokens: Tokens, _ describer: ReportDescriber, _ configuration: Desk.Configuration
    ) throws -> Desk {
      do {
        return try Desk(store, tokens, describer, configuration)
      } catch is Desk.MissingLibrary {
        Output.note("desk: libcurl, which --alerts needs, is not installed")
        throw ExitCode(69)
      }
    }
  #else
    func run() throws {
      Output.note("desk: this crashsym was built without the desk; build it with swift build --traits Desk")
      throw ExitCode(69)
    }
  #endif
}

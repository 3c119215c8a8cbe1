import ArgumentParser
import CrashReportReading
import Glibc
import LinuxCalls

#if Desk
  import DeskServer
  import DeskStore
  import Symbolication
#endif

/// `crashsym desk`
struct DeskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "desk", abstract: "Collect crash reports from programs, and show them in a browser.",
    discussion: """
      Accepts reports as POST requests to /api/reports, for example from crashsym send --to desk:URL, and shows them \
      in groups. The desk accepts a report only after it is on the disk. Without tokens, anyone who can connect may \
      send. If --listen is not a loopback address, every request needs a token. SIGTERM or SIGINT ends the desk.

      With --backup, --export or --import, the command does only this and ends. A desk may use the data at the same \
      time, except with --import.

      Environment: XDG_DATA_HOME, HOME: the place of the data without --data. CRASHSYM_SYMBOLS: more folders of \
      symbols.

      Exit status: 0 ended by a signal, or the work of an option is done; 64 usage; 65 --import left lines out; 66 no \
      such folder of symbols, no such file, or a file of hooks or owners that cannot be read; 69 this crashsym has no \
      desk, or libcurl, which --alerts needs, is missing; 74 the address or the data is not available.
      """)

  @Option(help: ArgumentHelp("The address to listen on; port 0 takes any free port.", valueName: "host:port"))
  var listen = "127.0.0.1:8017"

  @Option(
    help: ArgumentHelp("Keep reports here, rather than in XDG_DATA_HOME/crashsym/desk.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "A host name under which browsers and programs reach the desk; may be repeated.", valueName: "host"))
  var name: [String] = []

  @Option(help: ArgumentHelp("Remove reports of crashes that are older than this number of days.", valueName: "days"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("Keep at most this number of reports, and remove the oldest ones.", valueName: "number"))
  var keepReports: Int?

  @Option(
    help: ArgumentHelp(
      "Send alerts to the hooks in this file. Each line has a form (the word webhook or slack), a URL and, optionally, kinds of alerts.",
      valueName: "file"))
  var alerts: String?

  @Option(
    help: ArgumentHelp(
      "Use this CODEOWNERS file to show who owns the file in which a program crashed.", valueName: "file"))
  var codeowners: String?

  @Option(
    help: ArgumentHelp(
      "Keep only the latest reports of each project, up to this number of bytes; K, M and G are units.",
      valueName: "bytes"))
  var keepBytes: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Also take reports from this folder when they appear there; links are not followed. May be repeated.",
      valueName: "folder"))
  var watch: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of requests with reports and symbols that one project may send in a minute. The desk answers further requests with status 429.",
      valueName: "number"))
  var rate: Int?

  @Flag(help: "Only show the data: accept nothing and change nothing.")
  var readOnly = false

  @Option(help: ArgumentHelp("Copy the data to this new folder, and end.", valueName: "folder"))
  var backup: String?

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp(
      "Write reports, rules, states and notes as lines of JSON to this new file or -, and end.", valueName: "file"))
  var exportFile: String?

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Import the output of --export from this file or -, and end.", valueName: "file"))
  var importFile: String?

  @Option(help: ArgumentHelp("Make a token for this project, print it, and end.", valueName: "project"))
  var addToken: String?

  @Option(help: ArgumentHelp("Remove the token of this project, and end.", valueName: "project"))
  var removeToken: String?

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  mutating func validate() throws {
    guard ListenAddress(listen) != nil else {
      throw ValidationError("--listen must be HOST:PORT, such as 127.0.0.1:8017")
    }
    guard keepDays.map({ (1...36_500).contains($0) }) ?? true else {
      throw ValidationError("--keep-days must be a number from 1 to 36500")
    }
    guard keepReports.map({ $0 >= 1 }) ?? true else { throw ValidationError("--keep-reports must be at least 1") }
    guard rate.map({ $0 >= 1 }) ?? true else { throw ValidationError("--rate must be at least 1") }
    guard !readOnly || watch.isEmpty else {
      throw ValidationError("--read-only accepts no reports; leave out --watch")
    }
    guard [addToken, removeToken, backup, exportFile, importFile].filter({ $0 != nil }).count <= 1 else {
      throw ValidationError("use only one of --add-token, --remove-token, --backup, --export and --import")
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
        if let backup { return try copy(folder, to: backup) }
        if let exportFile { return try export(folder, to: exportFile) }
        if let importFile { return try importLines(from: importFile, into: folder) }
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
        Output.note("desk: neither XDG_DATA_HOME nor HOME is set; name a folder with --data")
        throw ExitCode(64)
      }
      return home + "/.local/share/crashsym/desk"
    }

    private func makeToken(_ project: String, _ folder: String) throws {
      guard Tokens.isName(project) else {
        throw ValidationError("a project's name is at most 64 letters, digits, hyphens, dots and underscores")
      }
      try DataFolder.make(folder)
      print(try Tokens(folder).make(project))
    }

    private func takeToken(_ project: String, _ folder: String) throws {
      guard try Tokens(folder).remove(project) else {
        Output.complain("that project has no token", project)
        throw ExitCode(66)
      }
    }

    private func serve(_ folder: String, _ address: ListenAddress) throws {
      signal(SIGPIPE, SIG_IGN)
      let data = try readOnly ? DataFolder(reading: folder) : DataFolder(folder)
      let tokens = try Tokens(data.path)
      guard HostRule.isLoopback(address.host) || !tokens.isEmpty else {
        Output.complain(
          "other machines could connect to this address, but the desk has no token; make one with --add-token PROJECT",
          listen)
        throw ExitCode(64)
      }
      let symbols = try readOnly ? nil : DeskSymbols(data.symbols, make: makeSymbolicator)
      let describer = symbols.map { ReportDescriber($0) } ?? ReportDescriber(makeSymbolicator(data.symbols))
      let store = try readOnly ? SQLiteStore(reading: data) : SQLiteStore(data) { try describer.describe($0, $1) }
      complain(of: store)
      var configuration = Desk.Configuration(host: address.host, names: name)
      configuration.retention = Retention(days: keepDays, reports: keepReports, bytes: keepBytes?.bytes)
      configuration.isReadOnly = readOnly
      configuration.requestsPerMinute = rate
      configuration.hooks = try hooks()
      configuration.owners = try owners()
      let watched = try watch.map { try WatchedFolder($0) }
      let desk = try made(store, tokens, describer, symbols, configuration)
      let host = address.host.contains(":") ? "[\(address.host)]" : address.host
      let failure = DeskServer.wait {
        try await DeskServer.run(desk, host: address.host, port: address.port, watched: watched) { port in
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
      _ store: SQLiteStore, _ tokens: Tokens, _ describer: ReportDescriber, _ symbols: DeskSymbols?,
      _ configuration: Desk.Configuration
    ) throws -> Desk {
      do {
        return try Desk(store, tokens, describer, symbols: symbols, configuration)
      } catch is Desk.MissingLibrary {
        Output.note("desk: libcurl, which --alerts needs, is not installed")
        throw ExitCode(69)
      }
    }

    /// Makes a symbolicator that looks in the folder of what was sent, and where the options say.
    var makeSymbolicator: @Sendable (String) -> Symbolicator {
      let options = symbolFolders.symbolicationOptions(fullNames: false, cache: cache)
      return { folder in
        var options = options
        options.symbolDirectories.insert(folder, at: 0)
        return Symbolicator(options: options, onDownload: DownloadDisplay.handler)
      }
    }

    func complain(of store: SQLiteStore) {
      if let aside = store.setAside {
        Output.complain("the database was damaged; it was made again from the reports", aside)
      }
      for (id, reason) in store.unreadable { Output.complain("left out: \(reason)", id.text) }
    }
  #else
    func run() throws {
      Output.note("desk: this crashsym was built without the desk; build it with swift build --traits Desk")
      throw ExitCode(69)
    }
  #endif
}

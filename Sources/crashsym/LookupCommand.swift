import AddressLookup
import ArgumentParser
import CrashReportModel
import CrashReportReading
import Glibc
import Symbolication

/// `crashsym lookup FILE ADDRESS…`
struct LookupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lookup",
    abstract: "Look up functions and source lines of addresses in one binary.",
    discussion: """
      Addresses are hexadecimal, with or without 0x. If you give none, the command reads them from standard input, \
      one in each line, and answers each at once. If you also give no file, each line is FILE ADDRESS.

      Text is like that of `addr2line -a -f -i -C -p`, so those options change nothing. If the compiler gave no line, \
      the text has "near" and the nearest line of the same function. JSON is one object for each address, with \
      llvm-symbolizer's keys. FunctionName is the linkage name. If the compiler gave no line, Line is 0 and NearLine \
      is the nearest. DemangledName and, for a trap of Swift code, RuntimeFailure are added.

      Exit status: 0 done, also if an address is unknown; 64 usage; 65 not a binary, or a line that is not an \
      address; 66 no such file; 74 input/output.
      """)

  /// What addresses are printed as.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(
    name: [.customShort("e"), .customLong("exe")],
    help: ArgumentHelp("The binary, if it is not the first argument.", valueName: "file"))
  var executable: String?

  @Option(help: "What to print: \(Format.allValueStrings.joined(separator: ", ")).")
  var format = Format.text

  @Flag(help: "The addresses are offsets from the place where the binary's ELF header is mapped.")
  var relative = false

  @Option(
    help: ArgumentHelp(
      "Addresses are from a process in which the binary's ELF header was mapped at this address.", valueName: "address")
  )
  var loadAddress: HexadecimalAddress?

  @Flag(inversion: .prefixedNo, help: "Show all inlined calls; with --no-inlines, show only the innermost call.")
  var inlines = true

  @Flag(help: "Show full Swift and C++ names instead of simplified ones.")
  var fullNames = false

  @Flag(help: "In text output, show mangled names.")
  var mangled = false

  @Flag(name: [.customShort("s"), .long], help: "In text output, show file names without their folders.")
  var basenames = false

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions

  @Flag(name: [.customShort("a"), .customLong("addresses")], help: .hidden) var addr2lineAddresses = false
  @Flag(name: [.customShort("f"), .customLong("functions")], help: .hidden) var addr2lineFunctions = false
  @Flag(name: .customShort("i"), help: .hidden) var addr2lineInlines = false
  @Flag(name: [.customShort("C"), .customLong("demangle")], help: .hidden) var addr2lineDemangle = false
  @Flag(name: [.customShort("p"), .customLong("pretty-print")], help: .hidden) var addr2linePretty = false

  @Argument(help: "The binary, then addresses.")
  var arguments: [String] = []

  private var file: String? { executable ?? arguments.first }
  private var addresses: ArraySlice<String> { executable == nil ? arguments.dropFirst() : arguments[...] }

  mutating func validate() throws {
    if relative, loadAddress != nil { throw ValidationError("--relative and --load-address exclude each other") }
    if file == nil, isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(self) }
    for address in addresses where HexadecimalAddress(address) == nil {
      throw ValidationError("not a hexadecimal address: \(address.harmlessName)")
    }
  }

  func run() throws {
    try symbolFolders.check()
    let symbolicator = symbolFolders.symbolicator(fullNames: fullNames, classifiesFunctions: false, cache: cache)
    var session = LookupSession(symbolicator, base: relative ? 0 : loadAddress?.value, writer, to: Self.output)
    do throws(ReadingError) {
      if let file { try session.open(file) }
      if addresses.isEmpty {
        var lines = StandardInputLines()
        while let batch = try lines.next() { try session.answer(batch) }
      } else {
        try session.answer(Array(addresses))
      }
    } catch {
      Output.complain(error.what, file ?? "standard input")
      throw ExitCode(error.status)
    }
    symbolicator.saveIndex()
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(session.status)
  }

  private static var output: LookupOutput {
    LookupOutput(
      write: { bytes in
        do { try Output.show(bytes) } catch { Glibc.exit(74) }
      }, note: { Output.note($0) })
  }

  private var writer: any LookupWriter {
    switch format {
    case .text: LookupText(inlines: inlines, mangled: mangled, basenames: basenames)
    case .json: LookupJSON(inlines: inlines)
    }
  }
}

extension HexadecimalAddress: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

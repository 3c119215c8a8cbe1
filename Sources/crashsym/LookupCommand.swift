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
      Addresses are hexadecimal, with or without 0x. Without any they come from standard input, one on a line and \
      answered as they come; without a file either, a line is FILE ADDRESS.

      Text is like that of `addr2line -a -f -i -C -p`, so those options change nothing; where the compiler gave no line, \
      "near" stands before the nearest one of the same function. JSON is one object for each address, with \
      llvm-symbolizer's keys: FunctionName is the linkage name, Line is 0 where the compiler gave none, and NearLine \
      the nearest; DemangledName and, for a trap of Swift code, RuntimeFailure are added.

      Exit status: 0 done, also where nothing is known of an address; 64 usage; 65 not a binary, or a line that is no \
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

  @Flag(help: "Addresses count from where the binary's ELF header is mapped.")
  var relative = false

  @Option(
    help: ArgumentHelp(
      "Addresses are a process's that had the binary's ELF header mapped here.", valueName: "address"))
  var loadAddress: HexadecimalAddress?

  @Flag(inversion: .prefixedNo, help: "Show the calls that were inlined there, or only the innermost.")
  var inlines = true

  @Flag(help: "Show Swift names in full rather than simplified.")
  var fullNames = false

  @Flag(help: "Show names in text as the linker has them.")
  var mangled = false

  @Flag(name: [.customShort("s"), .long], help: "Show files in text without their folders.")
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
      write: { bytes throws(ReadingError) in try Output.write(bytes, to: STDOUT_FILENO) }, note: { Output.note($0) })
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

import ArgumentParser
import CrashReportModel
import CrashReportReading
import Glibc
import LinuxCalls
import MachineChecks
import ProgramRunner
import Symbolication

/// `crashsym doctor [PROGRAM]`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what prevents capturing or reading crashes.",
    discussion: """
      Checks this machine and, if you name one, a program. Each line is ok, note (worth knowing) or problem, with its \
      meaning and advice. doctor checks its own environment, so run it as you run the program. It asks no server \
      without --ask-servers.

      JSON is an array of objects with subject, state, fact and meaning. If there is something to do, they have \
      advice. Objects about the program have its path as program.

      Exit status: 0 no problem; 1 a problem was found; 64 usage; 65 the program is not an ELF file; 66 no such file; \
      74 input/output.
      """)

  /// What findings are printed as.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(help: "What to print: \(Format.allValueStrings.joined(separator: ", ")).")
  var format = Format.text

  @Flag(help: "Also check whether the debuginfod servers of DEBUGINFOD_URLS answer.")
  var askServers = false

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @Argument(help: ArgumentHelp("A program, by its path or by its name in PATH.", valueName: "program"))
  var program: String?

  func run() throws {
    try symbolFolders.check()
    let path = try program.map(Self.path)
    let name = path.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let machine = MachineChecks.findings(on: .this, programName: name) + servers
    var ofProgram: [Finding] = []
    if let path {
      // Found on this machine alone: what servers have is another question.
      let symbolicator = Symbolicator(options: .init(symbolDirectories: symbolFolders.all))
      guard let findings = MachineChecks.findings(ofProgram: path, symbolicator) else {
        Output.complain("not an ELF file", path)
        throw ExitCode(65)
      }
      ofProgram = findings
    }
    try Output.show(text(machine, ofProgram, path))
    if (machine + ofProgram).contains(where: { $0.state == .problem }) { throw ExitCode(1) }
  }

  private var servers: [Finding] {
    guard askServers else { return [] }
    let symbolicator = Symbolicator(options: .init(debuginfod: symbolFolders.debuginfod))
    return MachineChecks.servers(symbolicator).map { [$0] } ?? []
  }

  /// The program's path: like a shell's, or that of a library, which need not be executable.
  private static func path(of name: String) throws -> String {
    if !name.contains("/"), access(name, F_OK) != 0, let found = try? ProgramSearch.path(of: name) { return found }
    do throws(BinaryFile.Failure) {
      return try BinaryFile(path: name).path
    } catch {
      Output.complain(error.what, name)
      switch error.kind {
      case .noInput: throw ExitCode(66)
      case .notABinary: throw ExitCode(65)
      case .inputOutput: throw ExitCode(74)
      }
    }
  }

  private func text(_ machine: [Finding], _ ofProgram: [Finding], _ path: String?) -> String {
    switch format {
    case .json:
      let objects = machine.map { Self.object($0, nil) } + ofProgram.map { Self.object($0, path) }
      return JSONValue.array(objects).text + "\n"
    case .text:
      let width = (machine + ofProgram).map(\.subject.count).max() ?? 0
      var lines = machine.map { Self.lines($0, width) }
      if let path { lines += ["", path.harmlessName] + ofProgram.map { Self.lines($0, width) } }
      let problems = (machine + ofProgram).count { $0.state == .problem }
      let sum = problems == 0 ? "no problem found" : problems == 1 ? "1 problem found" : "\(problems) problems found"
      return (lines + ["", sum]).joined(separator: "\n") + "\n"
    }
  }

  private static func lines(_ finding: Finding, _ width: Int) -> String {
    let state = finding.state.rawValue + String(repeating: " ", count: 8 - finding.state.rawValue.count)
    let subject = finding.subject + String(repeating: " ", count: width - finding.subject.count)
    let meaning = finding.meaning.isEmpty ? "" : ": \(finding.meaning)"
    let column = 8 + 1 + width + 2
    let line = "\(state) \(subject)  \(wrapped(finding.fact + meaning, from: column))"
    let indent = String(repeating: " ", count: column)
    return finding.advice.map { "\(line)\n\(indent)→ \(wrapped($0, from: column + 2))" } ?? line
  }

  /// A text that begins in a column, with a line for as many words as a terminal has room for. A pipe gets it as it is.
  private static func wrapped(_ text: String, from column: Int) -> String {
    let text = text.harmlessName
    guard let room = Terminal.width(of: STDOUT_FILENO).map({ $0 - column }), room >= 20 else { return text }
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= room {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    // Each begins a line of its own now, and may look like a command of a CI service.
    return lines.map(\.harmlessName).joined(separator: "\n" + String(repeating: " ", count: column))
  }

  private static func object(_ finding: Finding, _ program: String?) -> JSONValue {
    var members: [(String, String)] = [
      ("subject", finding.subject), ("state", finding.state.rawValue), ("fact", finding.fact),
      ("meaning", finding.meaning),
    ]
    if let advice = finding.advice { members.append(("advice", advice)) }
    if let program { members.append(("program", program)) }
    return .object(
      JSONObject(members: members.map { JSONObject.Member(key: $0, value: .string($1.withoutForeignBytes)) }))
  }
}

import Symbolication

/// Finds what prevents capturing or reading crashes.
public enum MachineChecks {
  /// The findings about a machine and, if a name is given, about the reports of that program.
  public static func findings(on machine: Machine, programName: String? = nil) -> [Finding] {
    KernelChecks(machine: machine).findings + LibraryChecks(machine: machine).findings
      + FolderChecks(machine: machine, program: programName).findings + ContainerChecks(machine: machine).findings
  }

  /// Whether debuginfod servers answer; nil if there is no server to ask.
  public static func servers(_ symbolicator: Symbolicator) -> Finding? {
    guard let (isAnswered, asked) = symbolicator.askServers() else { return nil }
    let places = asked.joined(separator: ", ")
    guard isAnswered else {
      return .problem(
        "debuginfod servers", places, "no server gives debug information",
        "look at DEBUGINFOD_URLS and the network; --debuginfod-limit sets how long crashsym waits for the servers")
    }
    return .ok("debuginfod servers", places, "a server answered")
  }

  /// The findings about a program; nil if the file is not an ELF executable or library.
  ///
  /// - Parameter symbolicator: Looks for the program's debug information.
  public static func findings(ofProgram path: String, _ symbolicator: Symbolicator) -> [Finding]? {
    guard let facts = SymbolFacts(path: path) else { return nil }
    return ProgramChecks(path: path, facts: facts, symbolicator: symbolicator).findings
  }
}

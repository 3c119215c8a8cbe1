import Symbolication

/// Finds out what would keep crashes from being captured or read.
public enum MachineChecks {
  /// What is to be said of a machine, and of the program that reports will be of, if it has a name.
  public static func findings(on machine: Machine, programName: String? = nil) -> [Finding] {
    KernelChecks(machine: machine).findings + LibraryChecks(machine: machine).findings
      + FolderChecks(machine: machine, program: programName).findings + ContainerChecks(machine: machine).findings
  }

  /// Whether debuginfod servers answer; nil where none is to be asked.
  public static func servers(_ symbolicator: Symbolicator) -> Finding? {
    guard let (isAnswered, asked) = symbolicator.askServers() else { return nil }
    let places = asked.joined(separator: ", ")
    guard isAnswered else {
      return .problem(
        "debuginfod servers", places, "no server gives debug information",
        "look at DEBUGINFOD_URLS and the network; --debuginfod-limit sets how long they are waited for")
    }
    return .ok("debuginfod servers", places, "a server answered")
  }

  /// What is to be said of a program; nil where the file is no ELF executable or library.
  ///
  /// - Parameter symbolicator: Looks for its debug information.
  public static func findings(ofProgram path: String, _ symbolicator: Symbolicator) -> [Finding]? {
    guard let facts = SymbolFacts(path: path) else { return nil }
    return ProgramChecks(path: path, facts: facts, symbolicator: symbolicator).findings
  }
}

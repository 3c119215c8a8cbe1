import ArgumentParser
import Glibc

/// Where to search for debug information: the options of every command that needs some.
struct SymbolFolderOptions: ParsableArguments {
  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      """
      Search this folder and those below it for debug information, under any name; may be repeated. CRASHSYM_SYMBOLS \
      names more, with colons between.
      """, valueName: "folder"))
  var given: [String] = []

  /// The folders of the command line, then those of the environment.
  var all: [String] {
    let fromEnvironment = getenv("CRASHSYM_SYMBOLS").map { String(cString: $0) } ?? ""
    return given + fromEnvironment.split(separator: ":").map(String.init)
  }

  /// Complains of a folder of symbols that is none, before anything is done.
  ///
  /// - Throws: `ExitCode` 66.
  func check() throws {
    for folder in given {
      var status = stat()
      guard stat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else { continue }
      Output.complain("no such folder of symbols", folder)
      throw ExitCode(66)
    }
  }
}

import ArgumentParser
import Glibc
import LinuxCalls
import Symbolication

/// Where to search for debug information: the options of every command that needs some.
struct SymbolFolderOptions: ParsableArguments {
  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      """
      Search this folder and its subfolders for debug information, under any file name; may be repeated. \
      CRASHSYM_SYMBOLS names more folders, separated by colons.
      """, valueName: "folder"))
  var given: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Wait at most this number of seconds for a file from a debuginfod server, and at most 15 seconds for its first \
      byte; 0 asks no server. crashsym asks servers only if DEBUGINFOD_URLS names some.
      """, valueName: "seconds"))
  var debuginfodLimit = 60

  /// What debuginfod servers may be asked.
  var debuginfod: DebuginfodOptions? {
    debuginfodLimit > 0 ? DebuginfodOptions(timeLimit: .seconds(debuginfodLimit)) : nil
  }

  mutating func validate() throws {
    guard (0...86_400).contains(debuginfodLimit) else {
      throw ValidationError("--debuginfod-limit must be a number of seconds, at most a day")
    }
  }

  /// The folders of the command line, then those of the environment.
  var all: [String] {
    let fromEnvironment = environment("CRASHSYM_SYMBOLS") ?? ""
    return given + fromEnvironment.unicodeScalars.split(separator: ":").map(String.init)
  }

  /// Reports a folder of symbols that does not exist, before the command does anything.
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

  /// A symbolicator that searches there, with the user's indexes if these are wanted.
  func symbolicator(fullNames: Bool = false, classifiesFunctions: Bool = true, cache: CacheOptions) -> Symbolicator {
    Symbolicator(
      options: symbolicationOptions(fullNames: fullNames, classifiesFunctions: classifiesFunctions, cache: cache),
      onDownload: DownloadDisplay.handler)
  }

  /// Where files are searched, and how functions are named.
  func symbolicationOptions(
    fullNames: Bool, classifiesFunctions: Bool = true, cache: CacheOptions
  ) -> SymbolicationOptions {
    .init(
      symbolDirectories: all, fullNames: fullNames, classifiesFunctions: classifiesFunctions, debuginfod: debuginfod,
      index: cache.index)
  }
}

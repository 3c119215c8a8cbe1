import ArgumentParser
import CrashReportModel
import Glibc
import LinuxCalls
import SymbolStore

/// `crashsym symbols add FILE… --to DIR`
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols", abstract: "Keep debug information for later reports.",
    subcommands: [SymbolsAddCommand.self, SymbolsServeCommand.self, SymbolsUploadCommand.self])
}

struct SymbolsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Store the debug information of programs and libraries by build ID.",
    discussion: """
      The debug information of each file goes to DIR/.build-id/xx/yyyy.debug, where crashsym (--symbols, \
      CRASHSYM_SYMBOLS), gdb, lldb, LLVM's tools and debuginfod find it. The command also stores the .dwp file of a \
      program with split DWARF, and dwz's file of common entries. From a folder and its subfolders it stores all \
      programs, libraries and debug files. A stored file stays, unless the new file has more information. Many \
      processes may add files at a time.

      With --strip the command then replaces each program or library, in one step, by a file without symbols that \
      names its debug file (.gnu_debuglink). Owner, mode and extended attributes stay. It refuses, and does not \
      change, a file with several names (hard links), a file that is being written, and a file with data after its \
      sections.

      Exit status: 0 done; 64 usage; 65 a file that cannot be stored, for example without a build ID; 66 no such \
      file; 74 input/output. After a bad file, the command still stores the others.
      """)

  @Option(help: ArgumentHelp("The folder of symbols; it is made if it is missing.", valueName: "dir"))
  var to: String

  @Flag(help: "Strip programs and libraries after their symbols are stored.")
  var strip = false

  @Argument(help: "Programs, libraries, debug files, or folders of them.")
  var files: [String]

  func run() throws {
    var status: Int32 = 0
    func complain(_ failure: FilingFailure) {
      Output.complain(failure.what, failure.path)
      if status == 0 { status = failure.status }
    }
    // Whether the file was filed or complained about.
    func handle(
      _ path: String, isAlone: Bool, _ add: () throws(FilingFailure) -> SymbolStore.Addition?
    ) -> Bool {
      do throws(FilingFailure) {
        if let addition = try add() {
          tell(addition)
          return true
        }
        let what = "has no debug information and no symbols to store"
        if isAlone { complain(FilingFailure(kind: .notUsable, what: what, path: path)) }
        return isAlone
      } catch {
        complain(error)
        return true
      }
    }
    do throws(FilingFailure) {
      let store = try SymbolStore(path: to)
      for file in files {
        do throws(FilingFailure) {
          var information = stat()
          let isFolder = stat(file, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
          guard isFolder else {
            _ = handle(file, isAlone: true) { () throws(FilingFailure) in try store.add(file, stripping: strip) }
            continue
          }
          let found = try FolderWalk.files(in: file)
          var hasAny = false
          for one in found {
            let isHandled = handle(one.path, isAlone: false) { () throws(FilingFailure) in
              try store.add(one, stripping: strip)
            }
            hasAny = hasAny || isHandled
          }
          if !hasAny {
            let what =
              found.isEmpty
              ? "no programs, libraries or debug files in" : "no file with debug information or symbols in"
            complain(FilingFailure(kind: .notUsable, what: what, path: file))
          }
        } catch { complain(error) }
      }
    } catch { complain(error) }
    if status != 0 { throw ExitCode(status) }
  }

  private func tell(_ addition: SymbolStore.Addition) {
    let name = addition.path.harmlessName
    for outcome in addition.outcomes {
      switch outcome {
      case .filed(let path): print("\(name): stored as \(path.harmlessName)")
      case .alreadyThere(let path): print("\(name): already there as \(path.harmlessName)")
      case .strippedBefore(let path): print("\(name): stripped before; its debug file is \(path.harmlessName)")
      }
    }
    if addition.isStripped { print("\(name): stripped") }
  }
}

extension FilingFailure {
  /// The exit status, as sysexits(3) has it.
  fileprivate var status: Int32 {
    switch kind {
    case .notUsable: 65
    case .noInput: 66
    case .inputOutput: 74
    }
  }
}

import ProgramRunner
import Symbolication

/// What a program brings along for its crashes to be captured and read.
struct ProgramChecks {
  let path: String
  let facts: SymbolFacts
  /// Where else its debug information is looked for.
  let symbolicator: Symbolicator

  var findings: [Finding] {
    [capture, linking] + [sanitizer].compactMap { $0 } + [buildID, debugInformation, unwinding]
  }

  private static let sanitizers = [
    (symbol: "__asan_init", name: "AddressSanitizer", variable: "ASAN_OPTIONS"),
    (symbol: "__tsan_init", name: "ThreadSanitizer", variable: "TSAN_OPTIONS"),
    (symbol: "__lsan_init", name: "LeakSanitizer", variable: "LSAN_OPTIONS"),
  ]

  /// Functions that CrashKit puts itself in front of: no other library defines all of them.
  private var linksCrashKit: Bool { facts.definesFunctions(["pthread_create", "sigaltstack", "__sysv_signal"]) }

  private var capture: Finding {
    let subject = "capture"
    if linksCrashKit {
      return .ok(subject, "links CrashKit", "it writes reports after it calls CrashKit.install()")
    }
    do throws(RunFailure) {
      try PreloadCheck.check(path)
    } catch {
      return .problem(
        subject, "does not link CrashKit, and nothing can be preloaded: \(error.what)", "its crashes leave no report",
        "link CrashKit")
    }
    return .note(
      subject, "does not link CrashKit", "its crashes leave a report only under crashsym run",
      "start it with crashsym run, or link CrashKit")
  }

  private var linking: Finding {
    let subject = "linking"
    guard facts.isDynamic else {
      return .note(
        subject, "static", "no library can be preloaded or opened: CrashKit follows only frame pointers",
        "link it dynamically with libc; --static-swift-stdlib is fine")
    }
    return .ok(subject, "dynamic", "libraries can be preloaded and opened")
  }

  /// Its report and its exit status are the same with CrashKit, which sees what is left over.
  private var sanitizer: Finding? {
    guard let found = Self.sanitizers.first(where: { facts.namesSymbol($0.symbol) }) else { return nil }
    return .note(
      "sanitizer", found.name,
      "the sanitizer handles faults before CrashKit and then ends the program with a status, so CrashKit writes no report",
      "set \(found.variable)=abort_on_error=1 to get both reports")
  }

  private var buildID: Finding {
    let subject = "build ID"
    guard let id = facts.buildIDText else {
      return .problem(
        subject, "none",
        "crashsym cannot distinguish a rebuilt program from the one that crashed, and cannot store its symbols",
        "link with -Wl,--build-id (swift build -Xlinker --build-id)")
    }
    return .ok(subject, id, "crashsym can match its reports and its debug information")
  }

  private var debugInformation: Finding {
    let subject = "debug information"
    let image = ImageReference(
      name: path.split(separator: "/").last.map(String.init) ?? path, path: path, buildID: facts.buildID,
      baseAddress: 0)
    guard case .found(_, let kind, let searched) = symbolicator.symbolicate([], in: image).status else {
      return .problem(subject, "the file cannot be read", "its crashes have no symbols", "build it again")
    }
    let advice = "build with -g; to strip it and keep its symbols, run crashsym symbols add FILE --to DIR --strip"
    let places = "; searched \(searched.joined(separator: ", "))"
    return switch kind {
    case .dwarf(let file):
      .ok(subject, file == path ? "in the program" : "in \(file)", "crashes are shown with functions and lines")
    case .symbolTable:
      .problem(subject, "none, only a symbol table\(places)", "crashes are shown with functions, without lines", advice)
    case .dynamicSymbols:
      .problem(
        subject, "none, stripped except for exported functions\(places)", "most of a crash is shown as addresses",
        advice)
    case .none:
      .problem(subject, "none, stripped of all symbols\(places)", "crashes are shown as addresses", advice)
    }
  }

  private var unwinding: Finding {
    let subject = "unwinding"
    let share = facts.framePointers
    let hasPointers = share.map { $0.with * 2 >= $0.of } ?? false
    let counted = share.map { "\($0.with) of \($0.of) checked functions set up a frame pointer" }
    guard facts.hasCallFrameInformation else {
      let fact = "no call-frame information (.eh_frame)" + (counted.map { ", \($0)" } ?? "")
      return .problem(
        subject, fact, "its stacks end at the first function without a frame pointer",
        "build without -fno-asynchronous-unwind-tables, and do not strip .eh_frame")
    }
    guard let counted, !hasPointers else {
      return .ok(subject, "call-frame information" + (counted.map { ", and \($0)" } ?? ""), "stacks are whole")
    }
    return .note(
      subject, "call-frame information, but \(counted)", "on a machine without libunwind, its stacks are short",
      "install libunwind8 on the machine that runs the program, or build with -fno-omit-frame-pointer")
  }
}

import CrashReportModel
import Symbolication

/// Makes the fingerprint of a symbolicated report. `Docs/many-reports.md` has the rule; a change of what comes out is a
/// new version.
struct Fingerprinting {
  static func version(of report: CrashReport) -> Int {
    if report.aboutFrames?.contains(where: isNamedAlone) == true { return namesAlone }
    return report.kind == .error ? 3 : 2
  }

  /// The version for stacks with frames that have a name and no address, as Python's have.
  private static let namesAlone = 4

  private static func isNamedAlone(_ frame: CrashReport.Frame) -> Bool {
    frame.address == nil && frame.symbol?.isEmpty == false
  }

  /// How many functions count. More would separate the ways to one fault; fewer would merge different faults.
  static let countedFunctions = 5
  /// Both versions count the toolchain's libraries as they did before these had an origin of their own.
  private static let counted: [FrameOrigins.Origin] = [.program, .toolchain]

  private let report: CrashReport
  private let images: ImageTable
  private let origins: FrameOrigins
  /// Earlier versions left out frames without an address.
  private let countsNamesAlone: Bool

  init(_ report: CrashReport) {
    self.report = report
    countsNamesAlone = Self.version(of: report) == Self.namesAlone
    images = ImageTable(report)
    origins = FrameOrigins(report)
  }

  func fingerprint() -> CrashReport.Fingerprint {
    let eventClass = EventClass.name(of: report)
    let own = ownFunctions(eventClass) { Self.counted.contains(origins.origin(of: $0)) }
    let dependencies = own.isEmpty ? ownFunctions(eventClass) { origins.origin(of: $0) != .system } : []
    let found = own.isEmpty ? dependencies.isEmpty ? systemFunctions() : dependencies : own
    let functions = Array(Self.distinct(throwingFunction + found).prefix(Self.countedFunctions))
    let program = own.isEmpty ? report.application?.name ?? report.process?.name : nil

    var fingerprint = CrashReport.Fingerprint()
    let version = Self.version(of: report)
    let lines = [String(version), eventClass] + functions + (program.map { ["of \($0)"] } ?? [])
    fingerprint.value = "\(version)-\(Self.hash(lines.joined(separator: "\n")))"
    fingerprint.eventClass = eventClass
    fingerprint.functions = functions
    fingerprint.program = program
    return fingerprint
  }

  /// Where the error was thrown that the report is about. Of many throws only the innermost function is known.
  private var throwingFunction: [String] {
    guard report.kind == .error, let cause = report.thrownCause, cause.causeKnownBy == nil,
      let frame = cause.framesFromThrow.first
    else { return [] }
    return functions(of: [frame]) { origins.origin(of: $0) != .system }
  }

  /// The functions that count, if there are any of their kind, innermost first, each once.
  private func ownFunctions(_ eventClass: String, where isOwn: (CrashReport.Frame) -> Bool) -> [String] {
    let names: [String]
    if let name = report.hungWithoutThread {
      names = [name]
    } else if let samples = report.hang?.samples, !samples.isEmpty {
      names = Self.shared(samples.map { functions(of: $0.frames ?? [], where: isOwn) })
    } else {
      names = functions(of: report.aboutFrames ?? [], where: isOwn)
    }
    if eventClass == EventClass.stackOverflow, let cycle = Self.recurring(names) { return cycle }
    let distinct = Self.distinct(names)
    let inner = distinct.filter { !Self.isEntryPoint($0) }
    return inner.isEmpty ? distinct : inner
  }

  /// If nothing is the program's own: the runtime's functions.
  private func systemFunctions() -> [String] {
    Self.distinct(
      functions(of: report.aboutFrames ?? report.hang?.samples?.first?.frames ?? []) {
        origins.origin(of: $0) == .system
      })
  }

  /// The names of frames. A frame without a name gets that of its image; if no frame has a name, also the offset.
  private func functions(of frames: [CrashReport.Frame], where isWanted: (CrashReport.Frame) -> Bool) -> [String] {
    let wanted = frames.filter { ($0.address != nil || (countsNamesAlone && Self.isNamedAlone($0))) && isWanted($0) }
    var known: [String: String] = [:]
    let names = wanted.map { frame -> String? in
      guard let symbol = frame.symbol, !symbol.isEmpty else { return nil }
      // Without an image, only the file separates functions of one name.
      if frame.address == nil { return symbol + (Self.fileName(of: frame).map { " (\($0))" } ?? "") }
      if let name = known[symbol] { return name }
      let name = FunctionIdentity.name(ofLinkageName: symbol)
      known[symbol] = name
      return name
    }
    let hasNames = names.contains { $0 != nil }
    return zip(wanted, names).compactMap { frame, name in
      name
        ?? images.index(of: frame).map { index in
          let image = images.images[index]
          let base = image.baseAddress?.value ?? 0
          let offset = hasNames ? "" : "+0x" + String((frame.address?.value ?? base) &- base, radix: 16)
          return (image.name ?? "?") + offset
        }
    }
  }

  /// Without folders: these differ between machines.
  private static func fileName(of frame: CrashReport.Frame) -> Substring? {
    frame.sourceLocation?.file?.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
  }

  /// Each name where it stands first: so recursion counts once, whatever its depth and shape.
  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// What recurs, sorted: where in its rounds a stack overflows is chance.
  private static func recurring(_ names: [String]) -> [String]? {
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    // What the deepest recursion calls now and then recurs too.
    let most = counts.values.max() ?? 0
    guard most > 1 else { return nil }
    return counts.filter { 2 * $0.value > most }.keys.sorted()
  }

  /// The outer functions that all stacks have: what a hung thread does within them differs from moment to moment.
  private static func shared(_ stacks: [[String]]) -> [String] {
    let stacks = stacks.filter { !$0.isEmpty }
    guard var common = stacks.first.map({ Array($0.reversed()) }) else { return [] }
    for stack in stacks.dropFirst() {
      let length = zip(common, stack.reversed()).prefix { $0 == $1 }.count
      if length == 0 { continue }
      common.removeLast(common.count - length)
    }
    return common.reversed()
  }

  /// Every stack of the main thread has it, unless the compiler inlined it away; SwiftPM calls it `MODULE_main`, and
  /// Python `<module>`.
  private static func isEntryPoint(_ name: String) -> Bool {
    name == "main" || name == "async_Main" || name.hasSuffix("_main") || name.hasSuffix(".$main()")
      || name.hasPrefix("<module> (")
  }

  /// FNV-1a of 64 bits, which other tools can compute too.
  static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension CrashReport {
  /// The name of an actor or an executor that hung, if it is not known on which thread: no stack is about it.
  var hungWithoutThread: String? {
    guard let hang, hang.thread == nil, hang.subject == "actor" || hang.subject == "executor" else { return nil }
    return hang.name
  }
}

import CrashReportModel
import Dispatch
import Symbolication
import Synchronization

/// Adds functions and source lines to a report's frames.
public struct ReportSymbolicator: Sendable {
  /// Looks addresses up in one image. Calls for different images may run at the same time.
  public typealias LookUp =
    @Sendable (
      _ addresses: [(address: UInt64, kind: AddressKind)], _ image: ImageReference
    ) -> (lookups: [Lookup], status: ImageStatus)

  private let lookUp: LookUp
  private let lookUpVariables: LockNames.LookUp
  private let findPointer: NilPointers.Find

  /// Uses a symbolicator.
  public init(_ symbolicator: Symbolicator) {
    let sharing = SharedImages(symbolicator)
    lookUp = { sharing.symbolicate($0, in: $1) }
    lookUpVariables = { sharing.variables(at: $0, in: $1) }
    findPointer = { sharing.nilPointer($0, in: $1) }
  }

  /// Uses a function in place of a symbolicator.
  public init(lookUp: @escaping LookUp) {
    self.lookUp = lookUp
    lookUpVariables = { _, _ in [:] }
    findPointer = { _, _ in nil }
  }

  /// The report with functions and source lines. Each inlined call has its own entry in a stack. The report's
  /// `symbolication` names the images without debug information. Its `fingerprint` groups the report with other reports
  /// of the same fault.
  ///
  /// Another symbolicator may have symbolicated frames before. Such frames stay unchanged if the file of their image is
  /// missing. Images are processed in parallel, each once.
  public func symbolicate(_ report: CrashReport, progress: SymbolicationProgress? = nil) -> CrashReport {
    filled(report, progress: progress, namesPointer: true).report
  }

  /// The report as ``symbolicate(_:progress:)`` returns it, with the locations that a view may open.
  public func verified(_ report: CrashReport, progress: SymbolicationProgress? = nil) -> VerifiedReport {
    let (report, answers, table) = filled(report, progress: progress, namesPointer: true)
    return VerifiedReport(report: report, locations: Self.locations(answers, in: table))
  }

  /// Locations of code in files whose build IDs are those of the report.
  private static func locations(_ answers: [Int: ImageAnswer], in table: ImageTable) -> VerifiedLocations {
    var locations = VerifiedLocations()
    for (index, answer) in answers {
      guard case .found = answer.status, table.reference(at: index).buildID != nil else { continue }
      for location in answer.lookups.values.lazy.flatMap(\.calls).compactMap(\.location) {
        locations.insert(file: location.path, line: location.line)
      }
    }
    return locations
  }

  private func filled(
    _ report: CrashReport, progress: SymbolicationProgress?, namesPointer: Bool
  ) -> (report: CrashReport, answers: [Int: ImageAnswer], table: ImageTable) {
    let table = ImageTable(report)
    var stacks: [[FrameGroup]] = []
    var report = report.mappingStacks { stack in
      let frames = table.withoutSignatures(stack)
      stacks.append(FrameGroup.groups(frames))
      return frames
    }
    let queries = queries(for: stacks, in: table)
    progress?.begin(total: queries.count)
    let answers = answer(queries, in: table, progress: progress)

    let fill = FrameFilling(table: table, answers: answers)
    var grouped = stacks[...]
    let crash = report.threads?.first { $0.crashed == true }?.frames
    report = report.mappingStacks { _ in grouped.removeFirst().flatMap(fill.entries(of:)) }
    report.tasks = report.tasks.map(AwaitedBySymbol.named)
    LockNames(table: table, lookUp: lookUpVariables).fill(&report)
    if namesPointer { NilPointers(table: table, find: findPointer).fill(&report) }
    if let failure = runtimeFailure(crash, table, answers) {
      report.setCause(.failedSwiftCheck, failure)
    } else if let failure = libraryFailure(report) {
      report.setCause(failure, failure.words)
    }
    var section = section(answers, in: table)
    section.unverifiedImages = UnverifiedImages.find(answers, in: table, report.timestamp)
    report.symbolication = section
    report.fingerprint = Fingerprinting(report).fingerprint()
    TestFinding.fill(&report)
    return (report, answers, table)
  }

  /// The data that a group needs from a report.
  public struct Summary: Sendable {
    /// The report's fingerprint.
    public let fingerprint: CrashReport.Fingerprint
    /// Whether all needed stacks were completely symbolicated. If tests ran, all stacks are needed; otherwise only the
    /// stack of the fingerprint is needed.
    public let isComplete: Bool
    /// The test that the report is about.
    public let test: CrashReport.Test?
  }

  /// The fingerprint of a report, and the test that the report is about. To find them, this symbolicates all stacks if
  /// tests ran. Otherwise it symbolicates only the stack of the thread, the task or the `throw` that the report is
  /// about.
  ///
  /// If the report already has a fingerprint that was made by this version of the rule, the result has that
  /// fingerprint.
  public func summary(of report: CrashReport) -> Summary {
    let known = report.fingerprint.flatMap {
      $0.value?.hasPrefix("\(Fingerprinting.version(of: report))-") == true ? $0 : nil
    }
    if let known, let missing = report.symbolication?.missingImages {
      return Summary(fingerprint: known, isComplete: missing.isEmpty, test: report.test)
    }
    let symbolicated = symbolicatedWhereItHappened(report)
    return Summary(
      fingerprint: symbolicated.fingerprint ?? Fingerprinting(symbolicated).fingerprint(),
      isComplete: symbolicated.symbolication?.missingImages?.isEmpty ?? true, test: symbolicated.test)
  }

  /// The report with its fingerprint, and without the stacks that the fingerprint does not use. If tests ran, the
  /// report keeps all stacks.
  public func symbolicatedWhereItHappened(_ report: CrashReport) -> CrashReport {
    var report = report
    // The test may be that of another task, which waits.
    if !TestFinding.mayRunTests(report) {
      report.threads = report.aboutThread.map { [$0] }
      report.thrown = report.kind == .error ? report.thrownCause.map { [$0] } : nil
      report.tasks = report.aboutTask.map { task in
        var task = task
        task.isStuck = true
        return [task]
      }
    }
    return filled(report, progress: nil, namesPointer: false).report
  }

  /// The distinct addresses of each image that has any.
  private func queries(for stacks: [[FrameGroup]], in table: ImageTable) -> [(image: Int, keys: [AddressKey])] {
    var keys: [Int: Set<AddressKey>] = [:]
    for group in stacks.joined() {
      guard let key = AddressKey(group.outermost), let image = table.index(of: group.outermost) else { continue }
      keys[image, default: []].insert(key)
    }
    return keys.map { (image: $0, keys: $1.sorted { $0.address < $1.address }) }.sorted { $0.image < $1.image }
  }

  private func answer(
    _ queries: [(image: Int, keys: [AddressKey])], in table: ImageTable, progress: SymbolicationProgress?
  ) -> [Int: ImageAnswer] {
    let answers = Mutex<[Int: ImageAnswer]>([:])
    let lookUp = lookUp
    DispatchQueue.concurrentPerform(iterations: queries.count) { index in
      let query = queries[index]
      let (lookups, status) = lookUp(
        query.keys.map { ($0.address, $0.kind) }, table.reference(at: query.image))
      let byKey = Dictionary(zip(query.keys, lookups), uniquingKeysWith: { first, _ in first })
      let isSystem = table.images[query.image].isSystem
      answers.withLock { $0[query.image] = ImageAnswer(lookups: byKey, status: status, isSystem: isSystem) }
      progress?.finishOne()
    }
    return answers.withLock { $0 }
  }

  /// Why Swift's compiled code trapped, where debug information names the check that failed.
  private func runtimeFailure(
    _ crash: [CrashReport.Frame]?, _ table: ImageTable, _ answers: [Int: ImageAnswer]
  ) -> String? {
    guard let top = crash.flatMap(FrameGroup.groups)?.first, let key = AddressKey(top.outermost),
      let image = table.index(of: top.outermost)
    else { return nil }
    return answers[image]?.lookups[key]?.runtimeFailure
  }

  /// Why the program ended itself without a message.
  private func libraryFailure(_ report: CrashReport) -> CrashReport.CauseCode? {
    if report.causeCode == .abortCalled, report.message == nil { return withoutAbort(report) ? .raised : nil }
    guard report.signal?.name == "SIGILL" || report.signal?.name == "SIGTRAP" else { return nil }
    return report.threads?.first { $0.crashed == true }?.frames.flatMap(DispatchFailure.cause(of:))
  }

  /// Whether the program sent itself SIGABRT without abort(), which a core file does not say.
  private func withoutAbort(_ report: CrashReport) -> Bool {
    guard let crashed = report.threads?.first(where: { $0.crashed == true }), crashed.stackEnd == "entry",
      let frames = crashed.frames, !frames.isEmpty
    else { return false }
    return frames.allSatisfy { $0.symbol.map { $0 != "abort" && !$0.hasSuffix("_abort") } ?? false }
  }

  private func section(_ answers: [Int: ImageAnswer], in table: ImageTable) -> CrashReport.Symbolication {
    var section = CrashReport.Symbolication()
    section.missingImages = answers.sorted { $0.key < $1.key }.compactMap { index, answer in
      let image = table.images[index]
      var missing = CrashReport.MissingImage()
      missing.name = image.name
      missing.path = image.path
      missing.buildID = image.buildID
      switch answer.status {
      case .found(let path, let debugInfo, let searched):
        guard let lack = debugInfo.lack, !answer.isSystem || debugInfo == .none else { return nil }
        missing.debugInfo = lack
        missing.foundPath = path
        missing.foundBuildID = image.buildID
        missing.searched = searched
      case .missing where image.isKernelProvided: return nil
      case .missing(_, let searched): missing.searched = searched
      case .mismatched(let path, _, let found, let searched):
        missing.foundPath = path
        missing.foundBuildID = found
        missing.searched = searched
      }
      return missing
    }
    return section
  }
}

extension DebugInfoKind {
  /// What there is in place of DWARF; `nil` if there is DWARF.
  fileprivate var lack: CrashReport.MissingImage.DebugInfo? {
    switch self {
    case .dwarf: nil
    case .symbolTable: .symbolTable
    case .dynamicSymbols: .dynamicSymbols
    case .none: .nothing
    }
  }
}

/// An address as it is looked up.
struct AddressKey: Hashable {
  var address: UInt64
  var kind: AddressKind

  init?(_ frame: CrashReport.Frame) {
    guard let address = frame.address?.value else { return nil }
    switch frame.kind {
    case .programCounter: kind = .programCounter
    case .returnAddress: kind = .returnAddress
    case .asyncResumePoint: kind = .asyncResumePoint
    default: return nil
    }
    self.address = address
  }
}

/// What is known of one image's addresses.
struct ImageAnswer {
  var lookups: [AddressKey: Lookup]
  var status: ImageStatus
  /// Whether the image belongs to the system or to a language's runtime.
  var isSystem: Bool
}

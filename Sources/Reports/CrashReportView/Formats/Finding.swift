import CrashReportModel

/// A report in the form for tools that show problems next to the code: one rule, one place, and its stacks.
struct Finding {
  struct Place {
    var function: String?
    var file: String?
    /// Whether `file` is relative to the repository's folder.
    var isInside = false
    var line: Int?
    var column: Int?
    var image: String?
    /// Whether it is in the program's own sources.
    var isOwn = false
    /// Whether it is the program's own code, with a known source or without.
    var isOfProgram = false
  }

  struct Stack {
    var label: String
    var thread: Int?
    var places: [Place]
  }

  /// `lockOrderInversion/cycle`
  var rule: String
  var severity: CrashReport.Violation.Severity
  var message: String
  /// What the program was doing.
  var context: String?
  /// Where to show it; the first own line of the innermost calls, or where the rule is stated.
  var place: Place?
  var stacks: [Stack]

  init(_ report: CrashReport, _ sources: SourceFolders) {
    let violation = report.violation
    let kind = report.kind?.rawValue ?? "crashReport"
    rule = violation?.code.map { "\(kind)/\($0)" } ?? report.signal?.name.map { "\(kind)/\($0)" } ?? kind
    severity = report.severity
    let hang = report.hang.map(HeadlineSection(report: report).words)
    message = violation?.message ?? hang ?? Reason.text(of: report) ?? kind
    context = report.contextWords.map { "in \($0)" }
    let places = Places(report, sources)
    stacks = violation.map { Self.stacks(of: $0, isDeadlock: report.kind == .deadlock, places) } ?? []
    if violation == nil, let crashed = report.threads?.first(where: { $0.crashed == true }) ?? report.aboutThread {
      let label = crashed.crashed == true ? "crashed here" : "was here"
      stacks = [Stack(label: label, thread: crashed.id, places: places.all(crashed.frames ?? []))]
    }
    for (label, step) in [("allocated here", report.guarded?.allocated), ("released here", report.guarded?.released)] {
      guard let step else { continue }
      stacks.append(Stack(label: label, thread: step.thread, places: places.all(step.frames ?? [])))
    }
    if let cause = report.thrownCause {
      let label = "\(ThrownSection.words(for: cause)) was thrown here"
      stacks.append(Stack(label: label, thread: cause.thread, places: places.all(cause.framesFromThrow)))
    }
    let first = violation?.stacks?.first?.frames ?? violation?.edges?.last?.toFrames ?? []
    let frames = violation == nil ? Self.framesOfPlace(report) : first
    place = Self.statedPlace(violation, frames, places) ?? Self.throwPlace(report, places) ?? places.firstOwn(frames)
  }

  /// What crashed or hung, or what the program captured.
  private static func framesOfPlace(_ report: CrashReport) -> [CrashReport.Frame] {
    if report.kind == .error || report.kind == .capture {
      return report.threads?.first { $0.capturedBy == "caller" }?.frames ?? []
    }
    if let hung = report.hang?.thread { return report.threads?.first { $0.id == hung }?.frames ?? [] }
    return report.threads?.first { $0.crashed == true }?.frames ?? []
  }

  /// Where an error began that the program lives with.
  private static func throwPlace(_ report: CrashReport, _ places: Places) -> Place? {
    guard report.kind == .error, let cause = report.thrownCause, cause.causeKnownBy == nil else { return nil }
    return places.firstOwn(cause.framesFromThrow)
  }

  private static func stacks(
    of violation: CrashReport.Violation, isDeadlock: Bool, _ places: Places
  ) -> [Stack] {
    let names = LockNames(violation.locks ?? [])
    let edges = (violation.edges ?? []).flatMap { edge in
      let words = EdgeWords(edge, of: violation, names, waits: isDeadlock)
      func stack(_ label: String, _ frames: [CrashReport.Frame]?) -> Stack {
        Stack(label: label, thread: edge.thread?.id, places: places.all((frames ?? []).withoutGuard))
      }
      return [stack(words.deed, edge.toFrames)] + (words.origin.map { [stack($0, edge.fromFrames)] } ?? [])
    }
    let others = (violation.stacks ?? []).map {
      Stack(
        label: $0.label ?? "stack", thread: $0.thread?.id, places: places.all(($0.frames ?? []).withoutGuard))
    }
    return edges + others
  }

  /// `#fileID` holds no folder: that of the first call in a file of this name is taken.
  private static func statedPlace(
    _ violation: CrashReport.Violation?, _ frames: [CrashReport.Frame], _ places: Places
  ) -> Place? {
    guard let location = violation?.sourceLocation, let file = location.file else { return nil }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let path = frames.lazy.compactMap { $0.sourceLocation?.file }.first { $0.split(separator: "/").last == name[...] }
    let found = path.map { places.sources.published($0) }
    return Place(
      function: violation?.function, file: found?.file ?? file, isInside: found?.isInside ?? false, line: location.line)
  }
}

/// Frames as places in sources.
private struct Places {
  let sources: SourceFolders
  private let images: ImageNames
  private let origins: FrameOrigins

  init(_ report: CrashReport, _ sources: SourceFolders) {
    images = ImageNames(report)
    origins = FrameOrigins(report)
    self.sources = sources
  }

  func all(_ frames: [CrashReport.Frame]) -> [Finding.Place] {
    frames.filter { $0.kind != .omittedFrames && $0.kind != .truncated }.map(place)
  }

  func firstOwn(_ frames: [CrashReport.Frame]) -> Finding.Place? {
    frames.withoutGuard.lazy.map(place).first { $0.isOwn }
  }

  private func place(_ frame: CrashReport.Frame) -> Finding.Place {
    let origin = origins.origin(of: frame)
    // What the compiler made up has no file that a tool could open.
    let location = frame.sourceLocation.flatMap { $0.file?.hasSuffix("/<compiler-generated>") == true ? nil : $0 }
    let file = location?.file.map { sources.published($0, guesses: origin != .system) }
    return Finding.Place(
      function: frame.name ?? images.place(of: frame), file: file?.file, isInside: file?.isInside ?? false,
      line: location?.line.flatMap { $0 > 0 ? $0 : nil }, column: location?.column.flatMap { $0 > 0 ? $0 : nil },
      image: frame.image, isOwn: file != nil && origin == .program, isOfProgram: origin == .program)
  }
}

extension LockNames {
  /// `mutex "db"`, without the address, which is another one in each run.
  func description(of index: Int) -> String {
    guard let lock = lock(index) else { return letter(index) }
    return (lock.type ?? "lock") + " " + (lock.name.map { "\"\($0)\"" } ?? letter(index))
  }
}

import CrashReportModel

/// One line of a stack, before its columns are aligned.
struct StackLine {
  var number: Int
  var function: String
  var location: String
  var isOwn: Bool
  /// Whether it is in code that a package manager fetched.
  var isDependency = false
  /// Whether the entry is a frame; otherwise it says what is missing.
  var isFrame = true
  /// Whether the compiler made the function only to pass the call on.
  var isThunk = false
  /// Where to read source lines, for own frames that know.
  var source: CrashReport.SourceLocation?

  /// What makes two entries the same call.
  var identity: String { "\(function)\u{0}\(location)" }
}

extension [StackLine] {
  /// ` in load(), Load.swift:7`, as the end of a sentence: the innermost of the program's own frames, or of those of
  /// libraries that it fetched if it has none there.
  var place: String? {
    let line = first { $0.isOwn && $0.isFrame } ?? first { $0.isDependency }
    return line.map { line in
      " in \(line.function.replacing(" [async]", with: ""))\(line.location.isEmpty ? "" : ", ")\(line.location)"
    }
  }
}

/// Puts the entries of a stack in words.
struct StackLines {
  let images: ImageNames
  private let origins: FrameOrigins
  private let sources: SourceFolders

  init(_ report: CrashReport, _ sources: SourceFolders) {
    images = ImageNames(report)
    origins = FrameOrigins(report)
    self.sources = sources
  }

  func lines(_ frames: [CrashReport.Frame]) -> [StackLine] {
    frames.enumerated().map { line($1, number: $0) }
  }

  private func line(_ frame: CrashReport.Frame, number: Int) -> StackLine {
    switch frame.kind {
    case .omittedFrames:
      let count = frame.count.map { counted($0, "frame") } ?? "frames"
      return StackLine(number: number, function: "... \(count) left out", location: "", isOwn: false, isFrame: false)
    case .truncated:
      return StackLine(
        number: number, function: "... the stack could not be followed further", location: "", isOwn: false,
        isFrame: false)
    default:
      let origin = origins.origin(of: frame)
      let isOwn = origin == .program
      return StackLine(
        number: number, function: function(of: frame), location: location(of: frame, isOwn: isOwn), isOwn: isOwn,
        isDependency: origin == .dependency, isThunk: Self.isThunk(frame), source: isOwn ? frame.sourceLocation : nil)
    }
  }

  /// Simplified and full names of what adapts a closure or a witness to how it is called.
  private static let thunks = ["thunk for ", "reabstraction thunk ", "protocol witness for "]

  private static func isThunk(_ frame: CrashReport.Frame) -> Bool {
    guard frame.isSystem == true, let name = frame.name else { return false }
    return thunks.contains { name.hasPrefix($0) } || name.hasSuffix("partial apply]")
  }

  private func function(of frame: CrashReport.Frame) -> String {
    var name = frame.name ?? images.place(of: frame)
    if frame.name != nil, frame.sourceLocation == nil, frame.isInlined != true, let offset = frame.offset {
      name += " + \(offset)"
    }
    if frame.isInlined == true { name += " [inlined]" }
    if frame.kind == .asyncResumePoint { name += " [async]" }
    if frame.byFramePointer == true { name += " [by frame pointer]" }
    return name
  }

  private func location(of frame: CrashReport.Frame, isOwn: Bool) -> String {
    guard let location = frame.sourceLocation, let file = location.file else {
      return frame.name == nil ? "" : frame.image ?? ""
    }
    var text = isOwn ? sources.shown(file) : String(Self.shortened(file))
    if let line = location.line, line > 0 {
      text += ":\(line)"
      if let column = location.column, column > 0 { text += ":\(column)" }
    }
    return location.isApproximate == true ? "near \(text)" : text
  }

  private static func shortened(_ file: String) -> Substring {
    FrameOrigins.dependencyPath(file) ?? file.split(separator: "/").last ?? "?"
  }
}

extension CrashReport.Frame {
  /// The function's name: `description` without the offset at its end.
  package var name: String? {
    guard let text = description ?? symbol, !text.isEmpty else { return nil }
    guard let offset, text.hasSuffix(" + \(offset)") else { return text }
    return String(text.dropLast(" + \(offset)".count))
  }
}

/// The places of stacks. Each place is searched once, because many threads or tasks may have the same stack.
struct StackPlaces {
  /// A place that lies further out is not looked for.
  private static let mostFrames = 500

  private let stack: StackLines
  private var known: [Int?: String] = [:]

  init(_ stack: StackLines) { self.stack = stack }

  /// The place of the stack of a thread or a task; empty if it is not known.
  mutating func place(of id: Int?, _ frames: @autoclosure () -> [CrashReport.Frame]?) -> String {
    if let place = known[id] { return place }
    let place = stack.lines(Array((frames() ?? []).prefix(Self.mostFrames))).place ?? ""
    known[id] = place
    return place
  }
}

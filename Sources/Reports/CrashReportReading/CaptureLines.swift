import CrashReportModel

/// The threads and Swift tasks that a program printed when a signal asked for them, and went on.
struct CaptureLines {
  /// Between the program's name and what asked, in the first line.
  static let goesOn = " goes on after "

  private var report = CrashReport()
  private var threads: [CrashReport.Thread] = []
  private var tasks: [CrashReport.LiveTask] = []
  private var images: [CrashReport.Image] = []
  private var hasTasks = false
  private var reason = "made from the lines in a log, which have offsets into images instead of addresses"

  /// Whose frames come next.
  private enum Owner { case none, thread, task }
  private var owner = Owner.none
  private var frames: [CrashReport.Frame] = []

  /// Reads the lines behind the first one.
  ///
  /// - Parameter asked: The rest of the first line: `SIGQUIT: 12 threads, 16 Swift tasks`.
  init(name: String, asked: String, lines: [String]) {
    let parts = asked.split(separator: ":", maxSplits: 1)
    report.schema = "crashkit/1"
    report.kind = .capture
    report.description = "asked for by \(parts.first ?? "a signal")"
    var process = CrashReport.Process()
    process.name = name
    report.process = process
    hasTasks = asked.contains(" Swift task")
    for line in lines { read(line) }
    endFrames()
    note(missing: threads.count, of: "thread", in: asked)
    note(missing: tasks.count, of: "Swift task", in: asked)
  }

  /// The report, as far as the lines go.
  func report(pid: Int) -> CrashReport {
    var whole = report
    whole.process?.pid = pid
    whole.threads = threads
    if hasTasks { whole.tasks = tasks }
    whole.images = images
    whole.noteCut("report", reason)
    return whole
  }

  private mutating func read(_ line: String) {
    if let text = line.dropping(prefix: "thread ") {
      endFrames()
      let thread = Self.thread(text)
      threads += thread.map { [$0] } ?? []
      owner = thread == nil ? .none : .thread
    } else if let text = line.dropping(prefix: "task ") {
      endFrames()
      let task = Self.task(text)
      tasks += task.map { [$0] } ?? []
      owner = task == nil ? .none : .task
    } else if let text = line.dropping(prefix: "image ") {
      endFrames()
      if let image = LineParts.image(text) { images.append(image) }
    } else if let text = line.dropping(prefix: "tasks left out: ") {
      report.omittedTasks = Int(text)
    } else if let text = line.dropping(prefix: "threads left out: ") {
      report.omittedThreads = Int(text)
    } else if let text = line.dropping(prefix: "report: ") {
      reason += "; the whole report is \(text)"
      endFrames()
    } else if let text = line.dropping(prefix: "  ... ") {
      if let count = text.split(separator: " ").first.flatMap({ Int($0) }) { frames.append(Self.leftOut(count)) }
    } else if let frame = LineParts.frame(line) {
      frames.append(frame)
    }
  }

  /// Gives the frames so far to whom they belong.
  private mutating func endFrames() {
    defer { (frames, owner) = ([], .none) }
    guard !frames.isEmpty else { return }
    switch owner {
    case .none: break
    case .thread: if let last = threads.indices.last { threads[last].frames = frames }
    case .task: if let last = tasks.indices.last { tasks[last].frames = frames }
    }
  }

  private static func leftOut(_ count: Int) -> CrashReport.Frame {
    var frame = CrashReport.Frame()
    frame.kind = .omittedFrames
    frame.count = count
    return frame
  }

  /// Says that the log holds fewer of them than the first line counts.
  private mutating func note(missing found: Int, of what: String, in asked: String) {
    let words = asked.split { $0 == "," || $0 == ":" }.first { $0.contains(" \(what)") }?.split(separator: " ")
    guard let count = words?.first.flatMap({ Int($0) }) else { return }
    let leftOut = what == "thread" ? report.omittedThreads : report.omittedTasks
    if count > found, count - found > leftOut ?? 0 { reason += "; \(found) of \(count) \(what)s are there" }
  }

  // MARK: Lines

  /// A number, a name if there is one, and what follows, by commas.
  private static func head(_ text: String) -> (id: Int, name: String?, words: [Substring])? {
    let quoted = LineParts.quoted(text)
    guard let id = Int(text.prefix { $0.isNumber }) else { return nil }
    let rest = quoted?.behind ?? text[...].drop { $0.isNumber }
    let words = rest.split(separator: ",").map { $0.drop { $0 == " " } }
    return (id, quoted?.name, words)
  }

  /// `4713 "worker", sleeping, task 17, no stack: all signals blocked`
  private static func thread(_ text: String) -> CrashReport.Thread? {
    guard let (id, name, words) = head(text) else { return nil }
    var thread = CrashReport.Thread()
    thread.id = id
    thread.name = name
    for word in words {
      if let number = word.number(behind: "task ") {
        var task = CrashReport.Task()
        task.id = number
        thread.task = task
      } else if word.hasPrefix("no stack: ") {
        thread.stackEnd = String(word.dropFirst("no stack: ".count))
      } else if thread.state == nil {
        thread.state = String(word)
      }
    }
    return thread
  }

  /// `17 "fetch profile", suspended, awaits task 18, child of 12, cancelled, frames of 5`
  private static func task(_ text: String) -> CrashReport.LiveTask? {
    guard let (id, name, words) = head(text) else { return nil }
    var task = CrashReport.LiveTask()
    task.id = id
    task.name = name
    for word in words {
      if let state = CrashReport.LiveTask.State(rawValue: String(word)) { task.state = state }
      if word == "cancelled" { task.isCancelled = true }
      if let thread = word.number(behind: "thread ") { task.thread = thread }
      if let parent = word.number(behind: "child of ") { task.parent = parent }
      if let example = word.number(behind: "frames of ") { task.framesOf = example }
      if word.hasPrefix("awaits ") { task.awaits = awaited(word.dropFirst("awaits ".count)) }
    }
    return task
  }

  /// `task 18`, `continuation`, `actor 0x0000000000000000`
  private static func awaited(_ text: Substring) -> CrashReport.LiveTask.Awaited? {
    let words = text.split(separator: " ")
    let known = words.first.flatMap { CrashReport.LiveTask.Awaited.Kind(rawValue: String($0)) }
    guard let kind = known else { return nil }
    var awaited = CrashReport.LiveTask.Awaited()
    awaited.kind = kind
    if kind == .actor {
      awaited.address = words.dropFirst().first.flatMap { Address(String($0)) }
    } else {
      awaited.id = words.dropFirst().first.flatMap { Int($0) }
    }
    return awaited
  }
}

extension Substring {
  fileprivate func number(behind prefix: String) -> Int? {
    hasPrefix(prefix) ? Int(dropFirst(prefix.count)) : nil
  }
}

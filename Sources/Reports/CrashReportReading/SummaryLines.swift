import CrashReportModel

/// Reads the summary that CrashKit writes to stderr, for logs in which nothing else is left of a crash.
///
/// A summary holds offsets into images in place of addresses. The report that is made of it says so: its images have
/// base address 0, and each frame names its image.
enum SummaryLines {
  private static let word: StaticString = "CrashKit["
  /// More lines than a summary has are not one.
  private static let maximumLines = 64
  /// More summaries than this in one log are not read.
  private static let maximumSummaries = 10_000

  static func find(in bytes: UnsafeRawBufferPointer) -> [FoundReport] {
    var open: [Int: Summary] = [:]
    var found: [FoundReport] = []
    var position = 0
    while let start = bytes.firstIndex(of: word, from: position), found.count < maximumSummaries {
      position = start + word.utf8CodeUnitCount
      let line = bytes.line(from: position, limit: 4096)
      guard let bracket = line.firstIndex(of: "]"), let pid = Int(line[..<bracket]), pid > 0,
        line[bracket...].hasPrefix("]: ")
      else { continue }
      let text = line[bracket...].dropFirst(3)
      if let headline = Headline(text) {
        if let earlier = open[pid] { found.append(earlier.found(pid: pid)) }
        open[pid] = Summary(offset: start, headline: headline)
      } else if open[pid]?.lines.count ?? maximumLines < maximumLines {
        open[pid]?.lines.append(String(text))
      }
    }
    return found + open.map { $1.found(pid: $0) }
  }
}

/// `api died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x0000000000000000)`
private struct Headline {
  var name: String
  var cause: String
  var signal = CrashReport.Signal()
  var faultAddress: Address?

  init?(_ text: Substring) {
    guard let died = text.range(ofText: " died: ") else { return nil }
    name = String(text[..<died.lowerBound])
    let rest = text[died.upperBound...]
    cause = String(rest)
    guard rest.hasSuffix(")"), let bracket = rest.lastIndex(of: "("), bracket > rest.startIndex else { return }
    cause = String(rest[..<rest.index(before: bracket)])
    let inside = rest[rest.index(after: bracket)...].dropLast()
    for word in inside.split(whereSeparator: { $0 == " " || $0 == "," }) {
      if word.hasPrefix("SIG") {
        signal.name = String(word)
      } else if let address = Address(String(word)) {
        faultAddress = address
      } else if word.contains("_") {
        signal.codeName = String(word)
      }
    }
  }
}

private struct Summary {
  var offset: Int
  var headline: Headline
  var lines: [String] = []

  func found(pid: Int) -> FoundReport {
    var report = CrashReport()
    report.schema = "crashkit/1"
    report.kind = .crashReport
    report.signal = headline.signal.fields.isEmpty ? nil : headline.signal
    report.faultAddress = headline.faultAddress
    report.cause = headline.cause.isEmpty ? nil : headline.cause
    report.causeCode = report.knownCause
    var process = CrashReport.Process()
    process.pid = pid
    process.name = headline.name
    report.process = process
    var thread = CrashReport.Thread()
    thread.crashed = true
    var images: [CrashReport.Image] = []
    var reason = "made from the summary in a log: top frames only, with offsets into images for addresses"
    for line in lines {
      if let text = line.dropping(prefix: "message: ") {
        report.message = text
      } else if let text = line.dropping(prefix: "thread ") {
        read(thread: text, into: &thread)
      } else if let text = line.dropping(prefix: "task ") {
        thread.task = Self.task(text)
      } else if let text = line.dropping(prefix: "image ") {
        if let image = Self.image(text) { images.append(image) }
      } else if let text = line.dropping(prefix: "report: ") {
        reason += "; the whole report is \(text)"
      } else if let frame = Self.frame(line) {
        thread.frames = (thread.frames ?? []) + [frame]
      }
    }
    report.images = images
    report.threads = [thread]
    report.noteCut("report", reason)
    return FoundReport(report: report, offset: offset)
  }

  /// `4713 "worker", 12 threads in all`
  private func read(thread text: String, into thread: inout CrashReport.Thread) {
    thread.id = Int(text.prefix { $0.isNumber })
    if let open = text.firstIndex(of: "\""), let close = text.lastIndex(of: "\""), open < close {
      thread.name = String(text[text.index(after: open)..<close])
    }
  }

  /// `17 "fetch profile"`, or the number alone.
  private static func task(_ text: String) -> CrashReport.Task? {
    let words = text.split(separator: " ", maxSplits: 1)
    guard let id = words.first.flatMap({ Int($0) }) else { return nil }
    var task = CrashReport.Task()
    task.id = id
    if words.count == 2, words[1].count > 2, words[1].first == "\"", words[1].last == "\"" {
      task.name = String(words[1].dropFirst().dropLast())
    }
    return task
  }

  /// `api 5f3c… /srv/app/api`, `-` for an image without a build ID.
  private static func image(_ text: String) -> CrashReport.Image? {
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3 else { return nil }
    var image = CrashReport.Image()
    image.name = String(words[0])
    image.buildID = words[1] == "-" ? nil : String(words[1])
    image.path = String(words[2])
    image.baseAddress = Address(0)
    return image
  }

  /// `  0 api+0x1f2a0`; frame 0 is the program counter, the others are return addresses, unless a word behind the offset
  /// says that they are not.
  private static func frame(_ line: String) -> CrashReport.Frame? {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let number = Int(words[0]), number >= 0, let plus = words[1].lastIndex(of: "+") else {
      return nil
    }
    let place = words[1][words[1].index(after: plus)...].split(separator: " ")
    guard let offset = place.first.flatMap({ Address(String($0)) }) else { return nil }
    var frame = CrashReport.Frame()
    frame.kind =
      switch place.dropFirst().first {
      case "async": .asyncResumePoint
      case "interrupted": .programCounter
      default: number == 0 ? .programCounter : .returnAddress
      }
    frame.address = offset
    frame.image = String(words[1][..<plus])
    return frame
  }
}

extension String {
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension Substring {
  fileprivate func range(ofText text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}

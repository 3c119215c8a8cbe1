import CrashReportModel

/// Reads the summary of a crash and the threads of a running program that CrashKit writes to stderr, for logs in which
/// nothing else is left of them.
///
/// A summary holds offsets into images in place of addresses. The report that is made of it says so: its images have
/// base address 0, and each frame names its image.
enum SummaryLines {
  private static let word: StaticString = "CrashKit["
  private static let longestLine = 4096
  /// More summaries than this in one log are not read.
  private static let maximumSummaries = 10_000

  static func find(in bytes: UnsafeRawBufferPointer) -> [FoundReport] {
    var open: [Int: Summary] = [:]
    var found: [FoundReport] = []
    var next = mark(in: bytes, from: 0)
    while let mark = next {
      next = self.mark(in: bytes, from: mark.end)
      // Two processes may have written into one line: each byte of it is read once.
      let text = bytes.line(from: mark.end, limit: min(longestLine, (next?.start ?? bytes.count) - mark.end))[...]
      let pid = mark.pid
      // Of frames there are many, and they begin with a blank.
      if text.utf8.first != UInt8(ascii: " "), let headline = Headline(text) {
        if let earlier = open.removeValue(forKey: pid) { found.append(earlier.found(pid: pid)) }
        guard found.count + open.count < maximumSummaries else { break }
        open[pid] = Summary(offset: mark.start, headline: headline)
      } else if open[pid].map({ $0.lines.count < $0.maximumLines }) == true {
        open[pid]?.lines.append(String(text))
      }
    }
    return found + open.map { $1.found(pid: $0) }
  }

  /// Where a line of a process begins, which process it is, and what stands before the text.
  private static func mark(in bytes: UnsafeRawBufferPointer, from start: Int) -> (start: Int, pid: Int, end: Int)? {
    var position = start
    while let hit = bytes.firstIndex(of: word, from: position) {
      position = hit + word.utf8CodeUnitCount
      let digits = bytes[position...].prefix(20).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      let end = digits.endIndex + 3
      guard let pid = Int(String(decoding: digits, as: UTF8.self)), pid > 0, end <= bytes.count,
        bytes[digits.endIndex..<end].elementsEqual("]: ".utf8)
      else { continue }
      return (hit, pid, end)
    }
    return nil
  }
}

/// `api died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x0000000000000000)`
private struct Headline {
  var name: String
  var cause: String
  var signal = CrashReport.Signal()
  var faultAddress: Address?
  /// The process did not die.
  var goesOn = false

  init?(_ text: Substring) {
    let died = text.range(ofText: " died: ")
    if let after = text.range(ofText: CaptureLines.goesOn), after.lowerBound < died?.lowerBound ?? text.endIndex {
      goesOn = true
      name = String(text[..<after.lowerBound])
      cause = String(text[after.upperBound...])
      return
    }
    guard let died else { return nil }
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

  /// More lines than a summary has, or a program's threads, are not one.
  var maximumLines: Int { headline.goesOn ? 1_000_000 : 64 }

  func found(pid: Int) -> FoundReport {
    if headline.goesOn {
      let capture = CaptureLines(name: headline.name, asked: headline.cause, lines: lines)
      return FoundReport(report: capture.report(pid: pid), offset: offset)
    }
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
    var frames: [CrashReport.Frame] = []
    var reason =
      "made from the summary in a log, which has only the top frames, with offsets into images instead of addresses"
    for line in lines {
      if let text = line.dropping(prefix: "message: ") {
        report.message = text
      } else if let text = line.dropping(prefix: "thread ") {
        read(thread: text, into: &thread)
      } else if let text = line.dropping(prefix: "task ") {
        thread.task = LineParts.task(text)
      } else if let text = line.dropping(prefix: "image ") {
        if let image = LineParts.image(text) { images.append(image) }
      } else if let text = line.dropping(prefix: "report: ") {
        reason += "; the whole report is \(text)"
      } else if let frame = LineParts.frame(line) {
        frames.append(frame)
      }
    }
    report.images = images
    if !frames.isEmpty { thread.frames = frames }
    report.threads = [thread]
    report.noteCut("report", reason)
    return FoundReport(report: report, offset: offset)
  }

  /// `4713 "worker", 12 threads in all`
  private func read(thread text: String, into thread: inout CrashReport.Thread) {
    thread.id = Int(text.prefix { $0.isNumber })
    thread.name = LineParts.quoted(text)?.name
  }
}

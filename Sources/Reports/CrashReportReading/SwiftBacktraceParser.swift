import CrashReportModel

/// Makes a report of a backtrace's lines, one after the other.
struct SwiftBacktraceParser {
  var report = CrashReport()
  /// Whether its last line was there.
  private(set) var isDone = false
  private let prefix: LogPrefix
  private var threads: [CrashReport.Thread] = []
  /// Of the thread that is being read.
  private var frames: [CrashReport.Frame] = []
  private var registers = JSONObject()
  private var memory: [JSONObject.Member] = []
  /// The place of each address in `memory`.
  private var memoryPlaces: [Address: Int] = [:]
  private var images: [CrashReport.Image] = []
  private var lastNumber: Int?
  /// Whether frames were left out before the next one.
  private var isInGap = false
  private var isInRegistersOfCrashed = false

  private static let registerNames: Set<String> = Set(
    ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "rip", "rflags"]
      + (10...15).map { "r\($0)" } + (0...28).map { "x\($0)" } + ["fp", "lr", "sp", "pc"])

  init(_ headline: SwiftBacktraceHeadline, _ prefix: LogPrefix) {
    self.prefix = prefix
    report.timestamp = prefix.timestamp
    report.kind = .crashReport
    report.description = headline.description
    report.faultAddress = headline.faultAddress
    if let number = headline.signal { setSignal(number) }
  }

  private mutating func setSignal(_ number: Int) {
    guard let name = Int32(exactly: number).flatMap(CrashReport.Signal.name(of:)) else { return }
    var signal = CrashReport.Signal()
    signal.number = number
    signal.name = name
    report.signal = signal
  }

  /// Without colours the signal is on a separate line, shortly before: `*** Signal 4: Backtracing from 0x…`.
  mutating func readSignal(_ bytes: UnsafeRawBufferPointer, before end: Int) {
    let near = UnsafeRawBufferPointer(rebasing: bytes[max(0, end - 1024)..<end])
    guard let line = near.lastLine(with: ": Backtracing from 0x") else { return }
    let words = String(decoding: near[line.start..<line.end], as: UTF8.self).split(separator: " ")
    guard let place = words.lastIndex(of: "Signal"), place + 1 < words.count,
      let number = Int(words[place + 1].prefix { $0.isNumber })
    else { return }
    setSignal(number)
  }

  /// Whether the line is a part of the backtrace.
  mutating func take(_ line: LogLine) -> Bool {
    guard let words = prefix.rest(of: line) else { return false }
    guard let first = words.first else { return true }
    switch first {
    case "Platform:":
      report.architecture = words.dropFirst().first.map(String.init)
      report.platform = words.dropFirst(2).joined(separator: " ")
    case "Thread": return startThread(words)
    case "Registers:": isInRegistersOfCrashed = true
    case "Images", "Images:": takeOmittedImages(words)
    case "Backtrace" where words.dropFirst().first == "took":
      report.backtraceTime = words.last.flatMap { Double($0.prefix { $0 != "s" }) }
      isDone = true
    case "...": isInGap = true
    default: return takeFrame(words) || takeRegister(words) || takeImage(words)
    }
    return true
  }

  /// `Thread 1 "worker" crashed:`
  private mutating func startThread(_ words: ArraySlice<Substring>) -> Bool {
    guard words.count >= 2, let last = words.last, last.hasSuffix(":"),
      Int(words[words.startIndex + 1].prefix { $0 != ":" }) != nil
    else { return false }
    finishThread()
    var thread = CrashReport.Thread()
    if last == "crashed:" { thread.crashed = true }
    let text = words.joined(separator: " ")
    if let open = text.firstIndex(of: "\""), let close = text.lastIndex(of: "\""), open < close {
      thread.name = String(text[text.index(after: open)..<close])
    }
    threads.append(thread)
    return true
  }

  private mutating func finishThread() {
    if isInGap { addTruncation() }
    if !threads.isEmpty {
      threads[threads.count - 1].frames = frames
      if !registers.isEmpty, !isInRegistersOfCrashed { threads[threads.count - 1].registers = registers }
    }
    if !isInRegistersOfCrashed { registers = JSONObject() }
    (frames, lastNumber, isInGap) = ([], nil, false)
  }

  private mutating func addTruncation() {
    var frame = CrashReport.Frame()
    frame.kind = .truncated
    frames.append(frame)
    isInGap = false
  }

  // MARK: Frames

  /// `1 [ra] [system] 0x000055f4777a3f10 r(_:) + 223 in deep at /src/deep.swift:1:129`, without the name where nothing was
  /// symbolicated.
  private mutating func takeFrame(_ words: ArraySlice<Substring>) -> Bool {
    guard !threads.isEmpty, let number = words.first.flatMap({ Int($0) }), number >= 0 else { return false }
    var rest = words.dropFirst()
    if rest.first == "..." {
      isInGap = true
      return true
    }
    var tags: Set<Substring> = []
    while let tag = rest.first, tag.hasPrefix("["), tag.hasSuffix("]") {
      tags.insert(tag)
      rest.removeFirst()
    }
    guard let address = rest.popFirst().flatMap({ Address(String($0)) }) else { return false }
    if isInGap, let lastNumber, number > lastNumber, number - lastNumber > 1 {
      var gap = CrashReport.Frame()
      gap.kind = .omittedFrames
      gap.count = number - lastNumber - 1
      frames.append(gap)
      isInGap = false
    }
    var frame = CrashReport.Frame()
    frame.kind = tags.contains("[ra]") ? .returnAddress : tags.contains("[async]") ? .asyncResumePoint : .programCounter
    frame.address = address
    fill(&frame, rest.joined(separator: " ")[...])
    if tags.contains("[inlined]") { frame.isInlined = true }
    if tags.contains("[system]") || tags.contains("[thunk]") { frame.isSystem = true }
    frames.append(frame)
    lastNumber = number
    return true
  }

  private func fill(_ frame: inout CrashReport.Frame, _ text: Substring) {
    guard let place = text.lastRange(of: " in ") else { return }
    frame.description = String(text[..<place.lowerBound])
    if let plus = text[..<place.lowerBound].lastRange(of: " + ") {
      frame.offset = Int(text[plus.upperBound..<place.lowerBound])
    }
    let image = text[place.upperBound...]
    guard let at = image.lastRange(of: " at ") else {
      frame.image = String(image)
      return
    }
    frame.image = String(image[..<at.lowerBound])
    frame.sourceLocation = Self.location(image[at.upperBound...])
  }

  /// `/src/deep.swift:1:129`, `/src/deep.swift:1` or the path alone.
  private static func location(_ text: Substring) -> CrashReport.SourceLocation {
    var location = CrashReport.SourceLocation()
    var path = text
    var numbers: [Int] = []
    while numbers.count < 2, let colon = path.lastIndex(of: ":"), let number = Int(path[path.index(after: colon)...]) {
      numbers.insert(number, at: 0)
      path = path[..<colon]
    }
    // What the compiler made has `//<compiler-generated>` for a path.
    location.file = path == "//<compiler-generated>" ? "/<compiler-generated>" : String(path)
    location.line = numbers.first ?? 0
    location.column = numbers.count > 1 ? numbers[1] : 0
    return location
  }

  // MARK: Registers and images

  /// `rax 0x000055bdc7fbe0e0  68 13 3e …`, the memory at it behind.
  private mutating func takeRegister(_ words: ArraySlice<Substring>) -> Bool {
    guard words.count >= 2, let name = words.first, Self.registerNames.contains(String(name)),
      let address = Address(String(words[words.startIndex + 1]))
    else { return words.first == "cs" }
    registers[String(name)] = address.json
    let bytes = words.dropFirst(2).prefix(16)
    if bytes.count == 16, bytes.allSatisfy({ $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }) {
      keep(bytes.joined(), at: address)
    }
    return true
  }

  private mutating func keep(_ bytes: String, at address: Address) {
    let member = JSONObject.Member(key: address.description, value: .string(bytes))
    if let place = memoryPlaces[address] {
      memory[place] = member
    } else {
      memoryPlaces[address] = memory.count
      memory.append(member)
    }
  }

  /// `Images (18 omitted):`
  private mutating func takeOmittedImages(_ words: ArraySlice<Substring>) {
    guard words.count >= 3, words[words.startIndex + 1].hasPrefix("(") else { return }
    report.omittedImages = Int(words[words.startIndex + 1].dropFirst())
  }

  /// `0x000055f4777a3000–0x000055f4777a42c0 daae… deep /tmp/deep`
  private mutating func takeImage(_ words: ArraySlice<Substring>) -> Bool {
    guard words.count >= 4, let range = words.first, range.hasPrefix("0x") else { return false }
    let bounds = range.split { $0 == "\u{2013}" || $0 == "-" }
    guard bounds.count == 2, let start = Address(String(bounds[0])), let end = Address(String(bounds[1])) else {
      return false
    }
    var rest = words.dropFirst()
    var image = CrashReport.Image()
    // `<no build ID>` if there is none.
    if rest.first?.hasPrefix("<") == true {
      while let word = rest.popFirst(), !word.hasSuffix(">") {}
    } else if let buildID = rest.popFirst(), buildID.allSatisfy(\.isHexDigit) {
      image.buildID = String(buildID)
    }
    image.name = rest.popFirst().map(String.init)
    image.path = rest.joined(separator: " ")
    image.baseAddress = start
    image.endOfText = end
    images.append(image)
    return true
  }

  /// The report of all that was read.
  mutating func finish() -> CrashReport {
    let ofCrashed = isInRegistersOfCrashed ? registers : JSONObject()
    finishThread()
    if !ofCrashed.isEmpty, let crashed = threads.firstIndex(where: { $0.crashed == true }) {
      threads[crashed].registers = ofCrashed
    }
    report.images = images
    report.threads = threads
    if !memory.isEmpty { report.capturedMemory = JSONObject(members: memory) }
    if !isDone { report.noteCut("report", "the log does not contain the end of the backtrace") }
    return report
  }
}

extension Substring {
  fileprivate func lastRange(of text: String) -> Range<Index>? {
    var end = endIndex
    while end > startIndex {
      end = index(before: end)
      if self[end...].hasPrefix(text) { return end..<index(end, offsetBy: text.count) }
    }
    return nil
  }
}

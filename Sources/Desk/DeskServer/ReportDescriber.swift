#if Desk
  import CrashReportModel
  import CrashReportReading
  import DeskStore
  import Foundation
  import ReportSymbolication
  import Symbolication

  /// Extracts from a report the data that the store counts and searches. Symbolicates frames with the desk's symbols.
  public struct ReportDescriber: Sendable {
    private static let countSchema: StaticString = "crashkit-count/1"
    private static let longestName = 200
    private static let longestTitle = 300
    private static let mostFrames = 400
    private static let mostAttributes = 64
    private static let mostWords = 20_000
    private static let mostLacking = 32
    /// A count that is larger is no count of a minute.
    private static let largestCount = 10_000_000
    /// Before CrashKit, in microseconds: the clock was not set.
    private static let earliest = Timestamp(microsecondsSince1970: 1_400_000_000_000_000)
    private static let day: Int64 = 86_400_000_000

    private let symbolicator: ReportSymbolicator

    /// Looks for symbols only by build ID, in the places where the symbolicator searches. It never opens a file by a
    /// path that a report contains.
    public init(_ symbolicator: Symbolicator) {
      let cached = CachedSymbolicator(symbolicator)
      self.init { cached }
    }

    /// Looks for symbols in a desk's store of symbols, including symbols that the desk receives later.
    public init(_ symbols: DeskSymbols) { self.init { symbols.symbolicator } }

    private init(_ current: @escaping @Sendable () -> CachedSymbolicator) {
      symbolicator = ReportSymbolicator { addresses, image in
        guard let buildID = image.buildID else { return ([], .missing(buildID: nil, searched: [])) }
        let base = image.baseAddress
        return current().symbolicate(
          addresses.map { ($0.address &- base, $0.kind) }, of: buildID, machine: image.machine)
      }
    }

    /// Reads the bytes, and leaves all else for later.
    ///
    /// - Throws: ``Refusal`` if they are neither a report nor a count of reports.
    func check(_ id: ReportID, _ bytes: [UInt8]) throws -> CheckedReport {
      if let count = Self.count(bytes) {
        return CheckedReport(id: id, bytes: bytes, content: .count(try describe(count, id, bytes)))
      }
      return try check(Self.read(bytes), id, bytes)
    }

    /// The same of an event, which is read already.
    func check(_ id: ReportID, _ event: StoredSentryEvent) throws -> CheckedReport {
      try check(SentryReport(event).report, id, event.bytes)
    }

    private func check(_ report: CrashReport, _ id: ReportID, _ bytes: [UInt8]) throws -> CheckedReport {
      if let fingerprint = report.fingerprint?.value { try Self.check(fingerprint) }
      return CheckedReport(id: id, bytes: bytes, content: .report(report))
    }

    /// The data that the store needs from these bytes.
    ///
    /// - Throws: ``Refusal`` if they are neither a report nor a count of reports.
    public func describe(_ id: ReportID, _ bytes: [UInt8]) throws -> ArrivedReport {
      try describe(check(id, bytes))
    }

    /// The data that the store needs from a report.
    ///
    /// - Throws: ``Refusal`` if it has no fingerprint.
    func describe(_ checked: CheckedReport) throws -> ArrivedReport {
      switch checked.content {
      case .count(let count): count
      case .report(let report): try describe(report, checked.id, checked.bytes)
      }
    }

    private func describe(_ report: CrashReport, _ id: ReportID, _ bytes: [UInt8]) throws -> ArrivedReport {
      let filled = isWhole(report) ? report : symbolicator.symbolicatedWhereItHappened(report)
      guard let fingerprint = filled.fingerprint, let value = fingerprint.value else {
        throw Refusal(.unprocessable, "the report has no fingerprint")
      }
      try Self.check(value)
      var arrived = ArrivedReport(
        id: id, bytes: bytes, fingerprint: value, title: Self.short(fingerprint.title, Self.longestTitle),
        time: Self.time(report.timestamp))
      arrived.program = Self.name(report.application?.name ?? report.process?.name)
      arrived.version = Self.version(report.application)
      arrived.host = Self.name(report.hostName)
      arrived.file = Self.file(filled)
      arrived.words = Self.words(filled)
      arrived.attributes = Self.attributes(filled)
      arrived.lacking = Self.lacking(filled)
      return arrived
    }

    /// The report of these bytes, with its frames filled in.
    func verified(_ bytes: [UInt8]) throws -> VerifiedReport {
      let report = try Self.read(bytes)
      return isWhole(report) ? VerifiedReport(report: report) : symbolicator.verified(report)
    }

    /// The count of a crash loop, if these bytes are one.
    static func count(_ bytes: [UInt8]) -> JSONObject? {
      // Most are reports, which are read once.
      guard bytes.count < 65_536, bytes.withUnsafeBytes({ $0.firstIndex(of: countSchema, from: 0) }) != nil,
        let object = try? JSONParser.parse(bytes).object,
        object["schema"].flatMap(String.init(json:)) == "\(countSchema)"
      else { return nil }
      return object
    }

    private static func read(_ bytes: [UInt8]) throws -> CrashReport {
      if let event = StoredSentryEvent(stored: bytes) { return SentryReport(event).report }
      let reports: [CrashReport]
      do {
        reports = try ReportReader.read(bytes)
      } catch {
        throw Refusal(.unprocessable, error.what)
      }
      guard reports.count == 1 else { throw Refusal(.unprocessable, "\(reports.count) reports; send one at a time") }
      return reports[0]
    }

    /// What another symbolicator filled in whole stays as it is.
    private func isWhole(_ report: CrashReport) -> Bool {
      report.symbolication?.missingImages?.isEmpty == true
        && symbolicator.summary(of: report).fingerprint.value == report.fingerprint?.value
    }

    // MARK: Counts

    private func describe(_ count: JSONObject, _ id: ReportID, _ bytes: [UInt8]) throws -> ArrivedReport {
      func text(_ key: String) -> String? { count[key].flatMap(String.init(json:)) }
      guard let fingerprint = text("fingerprint"), let title = text("title"),
        let number = count["count"].flatMap(Int.init(json:)), (1...Self.largestCount).contains(number)
      else {
        throw Refusal(
          .unprocessable,
          "a count must have the fields fingerprint, title and count, and count must be from 1 to 10000000")
      }
      try Self.check(fingerprint)
      var arrived = ArrivedReport(
        id: id, bytes: bytes, fingerprint: fingerprint, title: Self.short(title, Self.longestTitle),
        time: Self.time(count["minute"].flatMap(Timestamp.init(json:))))
      (arrived.weight, arrived.isCount) = (number, true)
      let application = count["application"].flatMap(CrashReport.Application.init(json:))
      arrived.program = Self.name(application?.name)
      arrived.version = Self.version(application)
      return arrived
    }

    // MARK: Fields

    /// `2-9f1c6a2b7d3e4f50` or `b1-…`: the pages make addresses of it.
    static func isFingerprint(_ text: String) -> Bool {
      let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
      return parts.count == 2 && (1...4).contains(parts[0].count) && parts[1].count == 16
        && parts.allSatisfy { $0.allSatisfy { digits.contains($0) || letters.contains($0) } }
    }

    private static func check(_ fingerprint: String) throws {
      guard isFingerprint(fingerprint) else {
        throw Refusal(.unprocessable, "the fingerprint must be a version, a hyphen and 16 hexadecimal digits")
      }
    }

    /// A clock that was not set, or runs ahead by more than a day, counts as no time.
    private static func time(_ time: Timestamp?) -> Timestamp {
      let now = Timestamp.now
      guard let time, time >= earliest, time.microseconds <= now.microseconds + day else { return now }
      return time
    }

    private static func short(_ text: String, _ longest: Int) -> String {
      String(String(text.prefix(longest)).harmless.prefix(longest))
    }

    private static func name(_ text: String?) -> String? {
      text.flatMap { $0.isEmpty ? nil : short($0, longestName) }
    }

    private static func version(_ application: CrashReport.Application?) -> String? {
      guard let version = application?.version else { return nil }
      return name(version + (application?.build.map { " (build \($0))" } ?? ""))
    }

    /// Where the program's own code comes first.
    private static func file(_ report: CrashReport) -> String? {
      let own = (report.aboutFrames ?? []).prefix(mostFrames).first { frame in
        frame.isSystem != true && frame.sourceLocation?.file != nil
      }
      return own?.sourceLocation?.file.map { short($0, 1000) }
    }

    /// The names of a frame's function, as the linker and as people have it.
    private static func names(_ frame: CrashReport.Frame) -> [String] {
      [frame.description.map(withoutOffset), frame.symbol].compactMap { $0 }
    }

    /// `price(of:)` of `price(of:) + 12`.
    private static func withoutOffset(_ text: String) -> String {
      let digits = text.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
      let rest = text.utf8.dropLast(digits)
      guard digits > 0, rest.suffix(3).elementsEqual(" + ".utf8) else { return text }
      return String(Substring(rest.dropLast(3)))
    }

    private static func words(_ report: CrashReport) -> SearchedWords {
      var words = SearchedWords()
      let frames = (report.aboutFrames ?? []).prefix(mostFrames)
      words.functions = withParts(joined(frames.flatMap(names)))
      words.files = withParts(joined(frames.compactMap(\.sourceLocation?.file)))
      words.message = joined([report.message, report.cause, report.description].compactMap { $0 })
      words.attributes = joined((report.attributes?.members ?? []).map { "\($0.key) \(text(of: $0.value))" })
      return words
    }

    /// Names, and again with blanks between their parts: `book` finds `OrderBook.price(of:)` too.
    private static func withParts(_ names: String) -> String {
      let parts = NameParts.separated(names)
      return parts == names ? names : "\(names)\n\(parts)"
    }

    private static func joined(_ texts: [String]) -> String {
      let text = texts.joined(separator: "\n")
      return text.utf8.count <= mostWords ? text : String(text.unicodeScalars.prefix(mostWords))
    }

    /// Build IDs of images that have frames of the stack that counts, and no debug information.
    private static func lacking(_ report: CrashReport) -> [String] {
      let images = Set((report.aboutFrames ?? []).prefix(mostFrames).filter { $0.address != nil }.compactMap(\.image))
      let missing = (report.symbolication?.missingImages ?? []).filter { images.contains($0.name ?? "") }
      return Array(Set(missing.compactMap { $0.buildID?.lowercased() })).sorted().prefix(mostLacking).map { $0 }
    }

    private static func attributes(_ report: CrashReport) -> [String: String] {
      var attributes: [String: String] = [:]
      for member in (report.attributes?.members ?? []).prefix(mostAttributes) {
        attributes[short(member.key, 100)] = short(text(of: member.value), longestName)
      }
      // These are known without the program.
      attributes["host.name"] = name(report.hostName)
      attributes["architecture"] = name(report.architecture)
      attributes["platform"] = name(report.platform)
      attributes["signal"] = name(report.signal?.name)
      attributes["version"] = version(report.application)
      return attributes
    }

    private static func text(of value: JSONValue) -> String {
      if let text = String(json: value) { return text }
      return value.text
    }
  }

  extension Timestamp {
    func adding(days: Int) -> Timestamp {
      Timestamp(microsecondsSince1970: microseconds + Int64(days) * 86_400_000_000)
    }

    static var now: Timestamp { Timestamp(microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1e6)) }
  }
#endif

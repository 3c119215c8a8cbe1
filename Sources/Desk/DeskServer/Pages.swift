#if Desk
  import CrashReportModel
  import CrashReportView
  import DeskStore
  import Foundation

  /// Makes the pages. Every text of a report is treated as hostile: it gets into a page only as a value of a template,
  /// or through ``Markup``.
  struct Pages: Sendable {
    private static let rows = 50
    private static let longest = 300
    /// People read no page that is further down.
    private static let lastPage = 10_000

    let store: any ReportStore
    let describer: ReportDescriber
    let templates: Templates
    let rules: GroupForms
    let owners: CodeOwners

    // MARK: Inbox

    func inbox(_ query: FormFields, live: String) throws -> String {
      let state = query["state"] ?? "open"
      let search = query["q"] ?? ""
      var wanted = GroupQuery(now: .now)
      wanted.standing = Standing(rawValue: state)
      // What is new or gone is of interest if it is open.
      wanted.state = wanted.standing != nil ? "open" : ["open", "resolved", "muted"].contains(state) ? state : nil
      let tab = wanted.standing?.rawValue ?? wanted.state ?? "all"
      wanted.search = String(search.prefix(Self.longest))
      let page = Self.page(query)
      (wanted.limit, wanted.offset) = (Self.rows, page * Self.rows)
      let list = try store.groups(wanted)
      var values: [String: Any] = [
        "heading": "\(list.total) \(list.total == 1 ? "group" : "groups") of crashes",
        "empty": search.isEmpty ? "There is nothing here." : "No report has all of these words.",
        "tabs": Self.tabs(tab, wanted.search), "groups": list.groups.map(row),
      ]
      let base = "/?state=\(tab)&q=\(Self.encoded(wanted.search))"
      Self.addPager(base, page, hasMore: list.total > wanted.offset + list.groups.count, to: &values)
      return templates.page("inbox", title: "Inbox", search: Self.text(wanted.search), live: live, values)
    }

    private static func tabs(_ current: String, _ search: String) -> [[String: Any]] {
      ["open", "new", "gone", "resolved", "muted", "all"].map { name in
        ["name": name, "link": "/?state=\(name)&q=\(encoded(search))", "current": name == current]
      }
    }

    private func row(_ group: StoredGroup) -> [String: Any] {
      var values: [String: Any] = [
        "fingerprint": group.fingerprint, "title": Self.text(group.title), "count": Self.crashes(group.count),
        "regressed": group.hasRegressed, "facts": facts(group),
        "trend": Trend.drawing(group.hours, "\(Self.crashes(group.hours.reduce(0, +))) in the last 24 hours"),
      ]
      if group.state != .open { values["state"] = Self.words(group.state) }
      values["standing"] = Self.standing(group)
      return values
    }

    // MARK: Group

    /// `nil` if there is no such group.
    func group(_ fingerprint: String, _ query: FormFields, proof: String, live: String) throws -> String? {
      guard let group = try store.group(fingerprint, now: .now) else { return nil }
      let page = Self.page(query)
      let reports = try store.reports(of: fingerprint, limit: Self.rows + 1, offset: page * Self.rows)
      let frequent = try store.frequentValues(of: fingerprint)
      var values: [String: Any] = [
        "fingerprint": fingerprint, "proof": proof, "title": Self.text(group.title), "count": Self.crashes(group.count),
        "state": Self.words(group.state), "regressed": group.hasRegressed, "facts": facts(group),
        "rules": try rules.values(of: fingerprint),
        "hours": Trend.drawing(group.hours, "\(Self.crashes(group.hours.reduce(0, +))) in the last 24 hours"),
        "days": Trend.drawing(group.days, "\(Self.crashes(group.days.reduce(0, +))) in the last 30 days"),
        "hasValues": !frequent.isEmpty, "values": frequent.map(Self.frequent),
        "notes": try store.notes(of: fingerprint).map { ["time": Self.time($0.time), "text": Self.lines($0.text)] },
        "reports": reports.prefix(Self.rows).map(Self.report),
      ]
      values["standing"] = Self.standing(group)
      Self.addPager("/groups/\(fingerprint)?", page, hasMore: reports.count > Self.rows, to: &values)
      return templates.page("group", title: Self.text(group.title), live: live, values)
    }

    private static func frequent(_ value: FrequentValue) -> [String: Any] {
      [
        "key": text(value.key), "value": text(value.value), "here": "\(Int((value.inGroup * 100).rounded())) %",
        "all": "\(Int((value.inAll * 100).rounded())) %",
      ]
    }

    private static func report(_ report: StoredReport) -> [String: Any] {
      var values: [String: Any] = [
        "id": report.id.text, "time": time(report.time), "program": text(report.program ?? ""),
        "version": text(report.version ?? ""), "host": text(report.host ?? ""),
      ]
      if report.weight > 1 { values["weight"] = report.weight }
      return values
    }

    // MARK: Report

    /// `nil` if there is no such report.
    func report(_ id: ReportID) throws -> String? {
      guard let stored = try store.report(id), let bytes = try store.bytes(of: id) else { return nil }
      let beside = try store.neighbours(of: id)
      var values: [String: Any] = [
        "id": id.text, "fingerprint": stored.fingerprint, "group": Self.text(stored.title), "isCount": stored.isCount,
        "isReport": !stored.isCount,
      ]
      values["newer"] = beside.newer?.text
      values["older"] = beside.older?.text
      if stored.isCount {
        values["count"] =
          "\(Self.crashes(stored.weight)) without a report in the minute after \(Self.time(stored.time))"
      } else {
        // Sources lie on the machines of those who build the program, not here.
        values["article"] = HTMLReport.article(of: try describer.verified(bytes), options: .init(showsSource: false))
      }
      return templates.page("report", title: Self.text(stored.title), values)
    }

    /// The report as JSON without what should not go into a ticket; `nil` if there is no such report.
    func scrubbed(_ id: ReportID) throws -> [UInt8]? {
      guard let stored = try store.report(id), !stored.isCount, let bytes = try store.bytes(of: id) else { return nil }
      return try describer.verified(bytes).report.scrubbed().json.utf8
    }

    func failure(_ heading: String, _ reason: String) -> String {
      templates.page("failure", title: heading, ["heading": heading, "reason": Self.text(reason)])
    }

    // MARK: Words

    private func facts(_ group: StoredGroup) -> [[String: Any]] {
      let names = [
        ("Programs", group.programs), ("Versions", group.versions), ("Hosts", group.hosts),
        ("Owners", group.file.map(owners.owners) ?? []),
      ]
      let rows = names.filter { !$0.1.isEmpty }.map { ($0.0, Self.text($0.1.joined(separator: ", "))) }
      return (rows + [("First seen", Self.time(group.firstSeen)), ("Last seen", Self.time(group.lastSeen))])
        .map { ["name": $0.0, "value": $0.1] }
    }

    private static func words(_ state: GroupState) -> String {
      switch state {
      case .resolved(let version?): "resolved in \(text(version))"
      case .muted(let end?): "muted until \(time(end))"
      default: state.name
      }
    }

    private static func standing(_ group: StoredGroup) -> String? {
      guard let standing = group.standing, let version = group.newestVersion else { return nil }
      return standing == .new ? "new in \(text(version))" : "not seen in \(text(version))"
    }

    private static func crashes(_ count: Int) -> String { "\(count) \(count == 1 ? "crash" : "crashes")" }

    /// `2026-11-27 10:00:05 UTC`
    static func time(_ time: Timestamp) -> String {
      time.text.prefix(19).replacing("T", with: " ") + " UTC"
    }

    static func text(_ text: String) -> String { text.harmless(upTo: longest) }

    private static func lines(_ text: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).harmless(upTo: 4000) }
        .joined(separator: "\n")
    }

    private static func encoded(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func page(_ query: FormFields) -> Int {
      min(lastPage, max(0, query["page"].flatMap { Int($0) } ?? 0))
    }

    private static func addPager(_ base: String, _ page: Int, hasMore: Bool, to values: inout [String: Any]) {
      if page > 0 { values["newer"] = "\(base)&page=\(page - 1)" }
      if hasMore { values["older"] = "\(base)&page=\(page + 1)" }
    }
  }
#endif

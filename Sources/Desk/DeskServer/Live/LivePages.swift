#if Desk
  import CrashReportModel

  /// Makes the pages of live programs. Every text of a push is treated as hostile: it gets into a page only as a value
  /// of a template, or through ``Markup``.
  struct LivePages: Sendable {
    /// At most this many gauges of a program are in the list.
    private static let listed = 3
    private static let shownEvents = 100

    let templates: Templates

    /// The list. Which programs have something critical is seen at once: they come first.
    func list(_ programs: [LiveProgram]) -> String {
      let values: [String: Any] = [
        "heading": "\(programs.count) \(programs.count == 1 ? "program" : "programs")", "isEmpty": programs.isEmpty,
        "rows": programs.map { row($0) }.joined(),
      ]
      return templates.page("live", title: "Live", values)
    }

    /// A program in the list.
    func row(_ program: LiveProgram) -> String {
      let critical = program.critical
      let others = program.last.metrics.filter { $0.side != .critical && $0.value != nil }
      var values = Self.state(program)
      values["id"] = program.id
      values["name"] = program.last.name
      values["where"] = Self.place(program)
      values["gauges"] = (critical + others).prefix(Self.listed).map { Self.gauge($0, of: program) }
      return templates.part("liveRow", values)
    }

    /// A program's page.
    func program(_ program: LiveProgram, hidesNominal: Bool, proof: String) -> String {
      var values = Self.state(program)
      values["id"] = program.id
      values["name"] = program.last.name
      values["hidesNominal"] = hidesNominal
      values["showsNominal"] = !hidesNominal
      for (key, text) in parts(program) { values[key] = text }
      values["canEdit"] = !program.last.hasEnded
      values["proof"] = proof
      values["thresholds"] = program.last.metrics.compactMap { metric -> [String: Any]? in
        guard let threshold = program.edits[metric.name]?.threshold ?? metric.threshold else { return nil }
        return [
          "metric": metric.name, "written": ThresholdText.written(threshold, metric.unit),
          "unit": metric.unit == .ratio ? "0…1 or %" : metric.unit.rawValue,
        ]
      }
      return templates.page("liveProgram", title: program.last.name, values)
    }

    /// What changes on a program's page, by the name that the page's template has for it.
    func parts(_ program: LiveProgram) -> [(String, String)] {
      var facts = Self.state(program)
      facts["facts"] = Self.facts(program)
      let gauges = program.last.metrics.map { Self.gauge($0, of: program) }
      let events = program.events.prefix(Self.shownEvents).map(Self.event)
      let endpoints = program.last.endpoints.map(Self.endpoint)
      return [
        ("liveFacts", templates.part("liveFacts", facts)),
        ("liveGauges", templates.part("liveGauges", ["gauges": gauges, "isEmpty": gauges.isEmpty])),
        ("liveEvents", templates.part("liveEvents", ["events": events, "isEmpty": events.isEmpty])),
        ("liveEndpoints", templates.part("liveEndpoints", ["endpoints": endpoints, "isEmpty": endpoints.isEmpty])),
      ]
    }

    /// How many events no person has seen: the number next to the link in the head of every page.
    func badge(_ unread: Int) -> String { templates.part("liveBadge", Self.badge(unread)) }

    static func badge(_ unread: Int) -> [String: Any] { ["unread": unread, "noUnread": unread == 0] }

    // MARK: Words

    private static func state(_ program: LiveProgram) -> [String: Any] {
      var values: [String: Any] = [:]
      let critical = program.critical.count
      if program.last.hasEnded {
        values["state"] = "ended \(Pages.time(program.heard))"
      } else if program.isSilent {
        values["state"] = "silent since \(Pages.time(program.heard))"
      } else if critical > 0 {
        values["alarm"] = "\(critical) critical"
      } else {
        values["state"] = "nominal"
      }
      if program.unread > 0 {
        values["unread"] = "\(program.unread) new \(program.unread == 1 ? "event" : "events")"
      }
      return values
    }

    private static func place(_ program: LiveProgram) -> String {
      let parts = [program.last.version, program.last.host, program.last.process.map { "process \($0)" }]
      return parts.compactMap { $0 }.joined(separator: " · ")
    }

    private static func facts(_ program: LiveProgram) -> [[String: Any]] {
      let push = program.last
      let rows: [(String, String?)] = [
        ("Version", push.version), ("Host", push.host), ("Process", push.process.map(String.init)),
        ("System", push.system), ("Memory in use", push.memory.map(Figures.bytes)),
        ("Last heard", Pages.time(program.heard)),
      ]
      return rows.compactMap { row in row.1.map { ["name": row.0, "value": $0] } }
    }

    private static func gauge(_ metric: LivePush.Metric, of program: LiveProgram) -> [String: Any] {
      var values: [String: Any] = ["name": metric.name, "isCritical": metric.side == .critical]
      if let value = metric.value {
        values["value"] = Figures.text(value, metric.unit)
        values["drawing"] = Gauge.drawing(metric)
      } else {
        values["reason"] = metric.reason ?? "no value"
      }
      values["state"] = metric.side == .critical ? "CRITICAL" : metric.side.rawValue
      if let threshold = metric.threshold {
        values["threshold"] =
          "\(Figures.text(threshold, metric.unit)) \(metric.range == .lower ? "and more" : "and less")"
      }
      if let edit = program.edits[metric.name] { values["wanted"] = Figures.text(edit.threshold, metric.unit) }
      return values
    }

    private static func event(_ event: LivePush.Event) -> [String: Any] {
      var values: [String: Any] = [
        "time": Pages.time(event.date), "metric": event.metric, "side": event.side.rawValue,
        "kind": event.side.rawValue,
      ]
      values["figures"] = figures(event)
      return values
    }

    private static func figures(_ event: LivePush.Event) -> String? {
      guard let value = event.value else { return nil }
      let threshold = event.threshold.map { ", threshold \(Figures.text($0, event.unit))" } ?? ""
      return Figures.text(value, event.unit) + threshold
    }

    /// An event in a line, for a notification.
    static func line(_ event: LivePush.Event) -> String {
      let side = event.side == .critical ? "critical" : event.side.rawValue
      return "\(event.metric) is \(side)" + (figures(event).map { ": \($0)" } ?? "")
    }

    private static func endpoint(_ endpoint: LivePush.Endpoint) -> [String: Any] {
      [
        "name": endpoint.name, "calls": endpoint.calls, "errors": endpoint.errors,
        "mean": Figures.seconds(endpoint.mean), "p99": Figures.seconds(endpoint.percentile99),
        "last": endpoint.lastCall.map(Pages.time) ?? "",
      ]
    }
  }
#endif

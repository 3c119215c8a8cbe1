#if Desk
  /// The page of alerts, with the button that sends one.
  struct AlertDesk: Sendable {
    let alerts: Alerts
    private let templates: Templates
    private let access: Access

    init(_ alerts: Alerts, _ templates: Templates, _ access: Access) {
      (self.alerts, self.templates, self.access) = (alerts, templates, access)
    }

    /// The answer to a request whose path begins with `/alerts`; `nil` if there is no such page.
    func answer(_ parts: [String], to request: DeskRequest) async throws -> DeskAnswer? {
      switch (request.method, parts.count) {
      case ("GET", 1): return try await access.pageWithForm(request) { .page(page(proof: $0)) }
      case ("POST", 2) where parts[1] == "test":
        _ = try await access.form(request)
        alerts.send(.test)
        return .redirect(to: "/alerts")
      default: return nil
      }
    }

    private func page(proof: String) -> String {
      let rows = zip(alerts.hooks, alerts.records).map { hook, record in
        var values: [String: Any] = [
          "form": hook.form.rawValue, "host": hook.address.host.harmless(upTo: 200),
          "kinds": hook.kinds.sorted().joined(separator: ", "), "sent": record.sent, "failed": record.failed,
          "dropped": record.dropped, "last": record.lastSent.map(Pages.time) ?? "",
        ]
        if let failure = record.failure {
          let time = record.failedAt.map { "\(Pages.time($0)): " } ?? ""
          values["failure"] = time + failure.harmless(upTo: 300)
        }
        return values
      }
      let values: [String: Any] = [
        "hooks": rows, "isEmpty": rows.isEmpty, "hasHooks": !rows.isEmpty, "heldBack": alerts.heldBack, "proof": proof,
      ]
      return templates.page("alerts", title: "Alerts", values)
    }

    static let template = """
      <h1 class="desk">Alerts</h1>
      {{#isEmpty}}<p>There is no hook. <code>crashsym desk --alerts FILE</code> reads where alerts go.</p>{{/isEmpty}}
      {{#hasHooks}}<table class="desk" tabindex="0" aria-label="Hooks"><thead><tr><th>Hook</th><th>For</th><th>Sent</th><th>Failed</th><th>Dropped</th><th>Last sent</th><th>Trouble</th></tr></thead>
      <tbody>{{#hooks}}<tr><th scope="row">{{form}} {{host}}</th><td>{{kinds}}</td><td>{{sent}}</td><td>{{failed}}</td><td>{{dropped}}</td><td>{{last}}</td><td>{{#failure}}<strong class="alarm">{{failure}}</strong>{{/failure}}</td></tr>
      {{/hooks}}</tbody></table>
      <p class="note">The desk sends at most one alert an hour for a group, and for a metric of a program. It has \
      held {{heldBack}} back since the start.</p>
      <form class="desk" action="/alerts/test" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <button>Send a test</button>
      </form>{{/hasHooks}}
      """
  }
#endif

#if Desk
  import Mustache

  /// The pages as templates. A value in double braces is escaped. Triple braces are for text that ``Markup`` wrote.
  struct Templates: Sendable {
    private let library: MustacheLibrary
    /// How many events of live programs no person has seen.
    private let unread: @Sendable () -> Int

    init(unread: @escaping @Sendable () -> Int) throws {
      self.unread = unread
      var library = MustacheLibrary()
      let own = [
        ("layout", Self.layout), ("inbox", Self.inbox), ("group", Self.group), ("report", Self.report),
        ("failure", Self.failure), ("alerts", AlertDesk.template), ("groupRules", GroupForms.template),
        ("versions", VersionPages.template),
      ]
      for (name, text) in own + LiveTemplates.all {
        try library.register(text, named: name)
      }
      self.library = library
    }

    /// A whole page. `live` is the mark of a page that shows changes by itself.
    func page(
      _ name: String, title: String, search: String = "", live: String? = nil, _ values: [String: Any]
    ) -> String {
      let body = library.render(values, withTemplate: name) ?? ""
      var whole: [String: Any] = ["title": title, "search": search, "body": body]
      whole["badge"] = part("liveBadge", LivePages.badge(unread()))
      whole["live"] = live
      return library.render(whole, withTemplate: "layout") ?? ""
    }

    /// A piece of a page.
    func part(_ name: String, _ values: [String: Any]) -> String { library.render(values, withTemplate: name) ?? "" }

    private static let layout = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>{{title}} · crashsym desk</title>
      <link rel="stylesheet" href="/desk.css">
      <script src="/desk.js" defer></script>
      </head>
      <body{{#live}} data-live="{{live}}"{{/live}}>
      <nav class="desk" aria-label="Desk">
      <a href="/">Inbox</a>
      <span><a href="/live">Live</a> {{{badge}}}</span>
      <a href="/versions">Versions</a>
      <a href="/alerts">Alerts</a>
      <form action="/" method="get" role="search">
      <input type="hidden" name="state" value="all">
      <input type="search" name="q" value="{{search}}" aria-label="Search functions, files, messages and attributes" placeholder="Search">
      <button>Search</button>
      </form>
      </nav>
      <main>
      {{{body}}}
      </main>
      </body>
      </html>

      """

    private static let inbox = """
      <h1 class="desk">{{heading}}</h1>
      <p class="tabs">{{#tabs}}<a href="{{link}}"{{#current}} aria-current="page"{{/current}}>{{name}}</a> {{/tabs}}</p>
      {{^groups}}<p>{{empty}}</p>{{/groups}}
      {{#groups}}
      <article class="row">
      <h2><a href="/groups/{{fingerprint}}">{{title}}</a></h2>
      <p class="marks"><strong>{{count}}</strong> {{#state}}<span class="state">{{state}}</span> {{/state}}{{#standing}}<span class="state">{{standing}}</span> {{/standing}}{{#regressed}}<span class="alarm">came back</span>{{/regressed}}</p>
      <dl class="facts">
      {{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>
      {{/facts}}
      </dl>
      {{{trend}}}
      </article>
      {{/groups}}
      <p class="tabs">{{#newer}}<a href="{{newer}}">Newer</a> {{/newer}}{{#older}}<a href="{{older}}">Older</a>{{/older}}</p>
      """

    private static let group = """
      <h1>{{title}}</h1>
      <p class="marks"><strong>{{count}}</strong> <span class="state">{{state}}</span> {{#standing}}<span class="state">{{standing}}</span> {{/standing}}{{#regressed}}<span class="alarm">came back after it was resolved</span>{{/regressed}}</p>
      <dl class="facts">
      {{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>
      {{/facts}}
      </dl>
      <section><h2>Trend</h2>
      <h3>24 hours</h3>
      {{{hours}}}
      <h3>30 days</h3>
      {{{days}}}
      </section>
      <section><h2>State</h2>
      <form class="desk" action="/groups/{{fingerprint}}/state" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <label>Resolved in version <input name="version" maxlength="200"></label>
      <button name="state" value="resolved">Resolve</button>
      <button name="state" value="open">Open again</button>
      </form>
      <form class="desk" action="/groups/{{fingerprint}}/state" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <label>Mute for <select name="days"><option value="1">a day</option><option value="7">7 days</option><option value="30">30 days</option><option value="">ever</option></select></label>
      <button name="state" value="muted">Mute</button>
      </form>
      <p class="note">A group that is resolved in a version opens again if a report of this version or of a later one comes. Without a version, any later crash opens it.</p>
      </section>
      {{#hasValues}}<section><h2>More frequent here than elsewhere</h2>
      <table class="desk"><thead><tr><th>Attribute</th><th>Value</th><th>Here</th><th>In all reports</th></tr></thead>
      <tbody>{{#values}}<tr><td>{{key}}</td><td>{{value}}</td><td class="number">{{here}}</td><td class="number">{{all}}</td></tr>
      {{/values}}</tbody></table>
      </section>{{/hasValues}}
      {{> groupRules}}
      <section><h2>Notes</h2>
      {{#notes}}<div class="written"><p class="time">{{time}}</p><pre>{{text}}</pre></div>
      {{/notes}}
      <form class="desk" action="/groups/{{fingerprint}}/notes" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <label>Note <textarea name="text" rows="3" maxlength="4000" required></textarea></label>
      <button>Add</button>
      </form>
      </section>
      <section><h2>Reports</h2>
      <table class="desk"><thead><tr><th>Time</th><th>Program</th><th>Version</th><th>Host</th></tr></thead>
      <tbody>{{#reports}}<tr><td><a href="/reports/{{id}}">{{time}}</a>{{#weight}} ×{{weight}}{{/weight}}</td><td>{{program}}</td><td>{{version}}</td><td>{{host}}</td></tr>
      {{/reports}}</tbody></table>
      <p class="tabs">{{#newer}}<a href="{{newer}}">Newer</a> {{/newer}}{{#older}}<a href="{{older}}">Older</a>{{/older}}</p>
      </section>
      """

    private static let report = """
      <p class="tabs"><a href="/groups/{{fingerprint}}">{{group}}</a>
      {{#newer}}<a href="/reports/{{newer}}">Newer</a> {{/newer}}{{#older}}<a href="/reports/{{older}}">Older</a> {{/older}}
      <a href="/reports/{{id}}/raw.json">As it came (JSON)</a> {{#isReport}}<a href="/reports/{{id}}/scrubbed.json">Scrubbed (JSON)</a>{{/isReport}}</p>
      {{{article}}}
      {{#isCount}}<h1>{{group}}</h1><p>{{count}}</p>{{/isCount}}
      """

    private static let failure = """
      <h1>{{heading}}</h1>
      <p>{{reason}}</p>
      <p><a href="/">Inbox</a></p>
      """
  }
#endif

#if Desk
  /// The templates of the pages of live programs. What changes has an `id`, by which the script finds it.
  enum LiveTemplates {
    static let all = [
      ("live", list), ("liveRow", row), ("liveProgram", program), ("liveFacts", facts), ("liveGauges", gauges),
      ("liveEvents", events), ("liveEndpoints", endpoints), ("liveBadge", badge),
    ]

    private static let badge = """
      <span class="badge" id="unread"{{#noUnread}} hidden{{/noUnread}}>{{unread}}</span>
      """

    private static let list = """
      <h1 class="desk">{{heading}}</h1>
      <div id="live-tools"></div>
      {{#isEmpty}}<p id="live-empty">No program pushes its readings to this desk. <code>diagdemo watch --desk URL</code> is one that does.</p>{{/isEmpty}}
      <div data-feed="/live/events">
      {{{rows}}}
      </div>
      """

    private static let row = """
      <article class="row" id="program-{{id}}">
      <h2><a href="/live/{{id}}">{{name}}</a></h2>
      <p class="marks">{{#alarm}}<strong class="alarm">{{alarm}}</strong> {{/alarm}}{{#state}}<span class="state">{{state}}</span> {{/state}}{{#unread}}<span class="badge">{{unread}}</span> {{/unread}}<span class="state">{{where}}</span></p>
      <table class="desk" id="gauges-{{id}}" tabindex="0" aria-label="Gauges of {{name}}"><tbody>
      {{#gauges}}<tr{{#isCritical}} class="critical"{{/isCritical}}><th scope="row">{{name}}</th><td>{{{drawing}}}{{#reason}}{{reason}}{{/reason}}</td><td class="number">{{value}}</td><td class="word">{{#isCritical}}CRITICAL{{/isCritical}}</td></tr>
      {{/gauges}}</tbody></table>
      </article>

      """

    private static let program = """
      <h1 class="desk">{{name}}</h1>
      <div id="live-tools"></div>
      <div data-feed="/live/{{id}}/events">
      {{{liveFacts}}}
      <section><h2>Gauges</h2>
      {{{liveGauges}}}
      </section>
      <section><h2>Events</h2>
      <p class="tabs"><a href="/live/{{id}}"{{#showsNominal}} aria-current="page"{{/showsNominal}}>all</a> <a href="/live/{{id}}?nominal=off"{{#hidesNominal}} aria-current="page"{{/hidesNominal}}>without nominal ones</a></p>
      <div{{#hidesNominal}} class="no-nominal"{{/hidesNominal}}>
      {{{liveEvents}}}
      </div>
      </section>
      <section><h2>Endpoints</h2>
      {{{liveEndpoints}}}
      </section>
      </div>
      {{#canEdit}}<section><h2>Thresholds</h2>
      <p class="note">The program gets a new threshold with its next push, and keeps it until it ends.</p>
      {{#thresholds}}<form class="desk" action="/live/{{id}}/threshold" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <input type="hidden" name="metric" value="{{metric}}">
      <label>{{metric}} ({{unit}}) <input name="threshold" value="{{written}}" maxlength="30" required></label>
      <button aria-label="Set the threshold of {{metric}}">Set</button>
      </form>
      {{/thresholds}}
      </section>{{/canEdit}}
      """

    private static let facts = """
      <div id="live-facts">
      <p class="marks">{{#alarm}}<strong class="alarm">{{alarm}}</strong>{{/alarm}}{{#state}}<span class="state">{{state}}</span>{{/state}}</p>
      <dl class="facts">
      {{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>
      {{/facts}}
      </dl>
      </div>

      """

    private static let gauges = """
      <table class="desk" id="live-gauges" tabindex="0" aria-label="Gauges"><thead><tr><th>Metric</th><th>Gauge</th><th>Now</th><th>State</th><th>Critical</th></tr></thead>
      <tbody>{{#gauges}}<tr{{#isCritical}} class="critical"{{/isCritical}}><th scope="row">{{name}}</th><td>{{{drawing}}}{{#reason}}{{reason}}{{/reason}}</td><td class="number">{{value}}</td><td class="word">{{state}}</td><td class="number">{{threshold}}{{#wanted}} <span class="state">({{wanted}} wanted)</span>{{/wanted}}</td></tr>
      {{/gauges}}</tbody></table>

      """

    private static let events = """
      <ul class="events" id="live-events">
      {{#isEmpty}}<li>There are none yet.</li>{{/isEmpty}}
      {{#events}}<li class="{{kind}}"><span class="time">{{time}}</span> <strong>{{metric}} is {{side}}</strong> {{#figures}}{{figures}}{{/figures}}</li>
      {{/events}}</ul>

      """

    private static let endpoints = """
      <table class="desk" id="live-endpoints" tabindex="0" aria-label="Endpoints"><thead><tr><th>Endpoint</th><th>Calls</th><th>Errors</th><th>Mean</th><th>99 %</th><th>Last call</th></tr></thead>
      <tbody>{{#isEmpty}}<tr><td>none</td></tr>{{/isEmpty}}{{#endpoints}}<tr><th scope="row">{{name}}</th><td>{{calls}}</td><td>{{errors}}</td><td class="number">{{mean}}</td><td class="number">{{p99}}</td><td class="number">{{last}}</td></tr>
      {{/endpoints}}</tbody></table>

      """
  }
#endif

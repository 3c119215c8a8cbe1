#if Desk
  import DeskStore

  /// The rules of a group's page: its reports belong to another group, or some of them are a separate group.
  struct GroupForms: Sendable {
    private static let longestValue = 300

    let store: any ReportStore

    /// Obeys a form. The page that comes next, or `nil` if there is no such group or rule.
    ///
    /// - Throws: ``Refusal`` if the form wants what cannot be.
    func obey(_ what: String, _ fields: FormFields, of fingerprint: String) throws -> String? {
      switch what {
      case "merge":
        // People may give the address of the other group's page.
        let other = (fields["into"] ?? "").split(separator: "/").last.map(String.init) ?? ""
        let target = other.filter { !$0.isWhitespace }
        guard ReportDescriber.isFingerprint(target) else {
          throw Refusal(
            .unprocessable, "give the fingerprint of the group to merge into, or the address of its page")
        }
        try add(GroupRule(merge: fingerprint, into: target))
        return "/groups/\(target)"
      case "split":
        let value = String((fields["value"] ?? "").harmless.prefix(Self.longestValue))
        guard let part = GroupRule.Part(rawValue: fields["part"] ?? ""), value.contains(where: { !$0.isWhitespace })
        else {
          throw Refusal(.unprocessable, "to split a group, give the name of a function or a file")
        }
        let rule = GroupRule(split: fingerprint, by: part, value)
        try add(rule)
        return try store.group(rule.target, now: .now) == nil ? "/groups/\(fingerprint)" : "/groups/\(rule.target)"
      case "undo":
        guard let number = fields["rule"].flatMap({ Int64($0) }), let rule = try store.removeRule(number) else {
          return nil
        }
        return "/groups/\(rule.source)"
      default: return nil
      }
    }

    private func add(_ rule: GroupRule) throws {
      guard try store.addRule(rule, now: .now) else {
        throw Refusal(
          .unprocessable, "there is no such group, or the rule would send the reports of this group back to this group")
      }
    }

    /// The part of a group's page about its rules.
    func values(of fingerprint: String) throws -> [[String: Any]] {
      try store.rules(of: fingerprint).map { rule in
        var values: [String: Any] = ["rule": Int(rule.number)]
        values["words"] =
          if let part = rule.part {
            rule.source == fingerprint
              ? "Reports with the \(part.rawValue) \(Pages.text(rule.value ?? "")) are a separate group"
              : "This group was made from reports with the \(part.rawValue) \(Pages.text(rule.value ?? ""))"
          } else {
            rule.source == fingerprint
              ? "All reports of this group are shown in another group" : "This group has the reports of another group"
          }
        values["other"] = rule.source == fingerprint ? rule.target : rule.source
        return values
      }
    }

    static let template = """
      <section><h2>Merge and split</h2>
      {{#rules}}<form class="desk" action="/groups/{{fingerprint}}/undo" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <input type="hidden" name="rule" value="{{rule}}">
      <p>{{words}}: <a href="/groups/{{other}}">{{other}}</a></p>
      <button aria-label="Undo: {{words}}">Undo</button>
      </form>
      {{/rules}}
      <form class="desk" action="/groups/{{fingerprint}}/merge" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <label>Merge into <input name="into" maxlength="300" placeholder="fingerprint or address of a group" required></label>
      <button>Merge</button>
      </form>
      <form class="desk" action="/groups/{{fingerprint}}/split" method="post">
      <input type="hidden" name="proof" value="{{proof}}">
      <label>Split off reports with the <select name="part" aria-label="Function or file"><option value="function">function</option><option value="file">file</option></select> <input name="value" maxlength="300" aria-label="Name of the function or file" required></label>
      <button>Split</button>
      </form>
      <p class="note">The rule also applies to later reports, until you undo it.</p>
      </section>
      """
  }
#endif

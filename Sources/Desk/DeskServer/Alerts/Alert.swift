#if Desk
  import CrashReportModel
  import DeskStore
  import ReportSending

  /// What people are to hear of without looking at a page.
  struct Alert: Sendable, Hashable {
    /// Why there is an alert.
    enum Kind: String, Sendable, CaseIterable {
      /// A group has its first crash.
      case new
      /// A group that was resolved is open again.
      case regressed
      /// A group had many crashes in a minute, which `crashsym send` counted.
      case crashLoop = "crash-loop"
      /// A metric of a live program became critical.
      case threshold
      /// A person pressed the button that sends a test alert.
      case test

      var words: String {
        switch self {
        case .new: "New group"
        case .regressed: "Came back"
        case .crashLoop: "Crash loop"
        case .threshold: "Critical"
        case .test: "Test"
        }
      }
    }

    var kind: Kind
    var title: String
    /// The program with its version and host.
    var facts: String
    /// The path of the page that shows more.
    var page: String
    /// Of alerts with the same key, one an hour is sent.
    var key: String
    var time = Timestamp.now

    /// An alert of a report that came in; `nil` if there is nothing that people must hear.
    init?(_ taken: Taken, _ report: ArrivedReport) {
      switch taken.news {
      case .new: kind = .new
      case .regressed: kind = .regressed
      case .loop: kind = .crashLoop
      case nil: return nil
      }
      title = report.weight > 1 ? "\(report.title) (\(report.weight) crashes)" : report.title
      facts = [report.program, report.version, report.host].compactMap { $0 }.joined(separator: ", ")
      page = "/groups/\(taken.group)"
      key = taken.group
    }

    /// An alert of a metric that turned critical.
    init(_ event: LivePush.Event, of program: LiveProgram) {
      kind = .threshold
      title = LivePages.line(event)
      facts = [program.last.name, program.last.version, program.last.host].compactMap { $0 }.joined(separator: ", ")
      page = "/live/\(program.id)"
      key = "\(program.last.name)\n\(program.last.host ?? "")\n\(event.metric)"
    }

    private init(_ kind: Kind, _ title: String, page: String) {
      (self.kind, self.title, facts, self.page, key) = (kind, title, "", page, "")
    }

    /// The alert that the button sends.
    static var test: Alert { Alert(.test, "This is a test of the desk's alerts", page: "/alerts") }

    // MARK: As it is sent

    /// - Parameter base: The desk's address without a slash at its end.
    func body(_ form: AlertHook.Form, base: String) -> [UInt8] {
      var object = JSONObject()
      switch form {
      case .webhook:
        object["schema"] = "crashsym-alert/1".json
        object["kind"] = kind.rawValue.json
        object["title"] = title.json
        object["facts"] = facts.json
        object["page"] = (base + page).json
        object["time"] = time.text.json
      case .slack:
        let line = { SlackDestination.line($0, atMost: 500) }
        let lines = ["*\(kind.words)*: \(line(title))"] + (facts.isEmpty ? [] : [line(facts)]) + [base + page]
        object["text"] = lines.joined(separator: "\n").json
        object["unfurl_links"] = false.json
        object["unfurl_media"] = false.json
      }
      return object.json.utf8
    }
  }
#endif

#if Desk
  import CrashReportModel
  import DeskStore

  /// An event of Sentry's protocol as the desk stores it: unchanged, in an object that names its kind.
  struct StoredSentryEvent {
    private static let keys = ["schema", "project", "event"]
    private static let opening = Array(#"{"schema":"sentry-event/1","project":"#.utf8)

    let project: String
    let event: JSONObject
    /// The stored bytes.
    let bytes: [UInt8]

    /// - Throws: ``Refusal`` if the bytes are not one whole JSON object.
    init(_ event: ArraySlice<UInt8>, project: String) throws {
      let bytes = Self.opening + "\(project.json.text),\"event\":".utf8 + event + "}".utf8
      // As it is read later: what is accepted can be read again. What is no object of its own would add keys.
      guard let object = SentryEnvelope.object(bytes[...]), object.members.map(\.key) == Self.keys,
        let event = object["event"].flatMap(JSONObject.init(json:))
      else { throw Refusal(.unprocessable, "the event is not a JSON object") }
      (self.project, self.event, self.bytes) = (project, event, bytes)
    }

    /// Reads a stored event; `nil` for anything else.
    init?(stored bytes: [UInt8]) {
      guard bytes.starts(with: Self.opening), let object = try? JSONParser.parse(bytes).object,
        let event = object["event"].flatMap(JSONObject.init(json:))
      else { return nil }
      (project, self.event) = (object["project"].flatMap(String.init(json:)) ?? "", event)
      self.bytes = bytes
    }

    /// The event's id: 32 lower-case hexadecimal digits; `nil` if the event has no id.
    static func eventID(_ object: JSONObject) -> String? {
      let digits = object["event_id"].flatMap(String.init(json:))?.lowercased().filter { $0 != "-" }
      return digits.flatMap { ReportID($0)?.text }
    }
  }
#endif

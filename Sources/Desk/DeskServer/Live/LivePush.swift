#if Desk
  import CrashReportModel
  import DeskStore

  /// The data that a program sends about itself, about once a second. All of it is limited: names and lists are cut.
  struct LivePush: Sendable {
    static let schema = "crashkit-live/1"
    /// Bytes of a push.
    static let longest = 256 << 10
    private static let mostMetrics = 64
    private static let mostEndpoints = 64
    private static let mostEvents = 256
    private static let longestName = 120
    /// The largest valid threshold.
    private static let largestThreshold = 1e300

    /// The unit of a metric.
    enum Unit: String, Sendable, JSONRepresentable { case ratio, bytes, bytesPerSecond, seconds, count }

    /// Which side of its threshold a metric is on.
    enum Side: String, Sendable, JSONRepresentable { case unknown, nominal, critical }

    /// The side of a threshold that is nominal.
    enum NominalRange: String, Sendable, JSONRepresentable { case lower, upper }

    /// A metric as it is now.
    struct Metric: Sendable, Equatable {
      var name: String
      var unit: Unit
      var value: Double?
      /// Why there is no value.
      var reason: String?
      var threshold: Double?
      var range: NominalRange
      var side: Side
    }

    /// A metric came to another side of its threshold.
    struct Event: Sendable, Equatable {
      /// The program counts its events from 1.
      var number: Int
      var date: Timestamp
      var metric: String
      var unit: Unit
      var value: Double?
      var threshold: Double?
      var side: Side
    }

    /// How an endpoint answers.
    struct Endpoint: Sendable, Equatable {
      var name: String
      var calls: Int
      var errors: Int
      var mean: Double
      var percentile99: Double
      var lastCall: Timestamp?
    }

    var name: String
    var version: String?
    var host: String?
    var process: Int?
    var system: String?
    var memory: Double?
    /// Seconds until the next push.
    var pace: Double
    var hasEnded: Bool
    /// The last change of thresholds that the program made because the desk wanted it.
    var edit: Int
    var metrics: [Metric]
    var events: [Event]
    var endpoints: [Endpoint]

    /// Reads a push.
    ///
    /// - Throws: ``Refusal`` if the body is not a push.
    init(_ bytes: [UInt8]) throws {
      guard let object = try? JSONParser.parse(bytes, limits: .init(depth: 8, values: 20_000)).object else {
        throw Refusal(.unprocessable, "the body is not a JSON object")
      }
      guard object["schema"].flatMap(String.init(json:)) == Self.schema else {
        throw Refusal(.unprocessable, "schema must be \(Self.schema)")
      }
      guard let name = Self.text(object["program"]) else {
        throw Refusal(.unprocessable, "program must be a name")
      }
      self.name = name
      version = Self.text(object["version"])
      host = Self.text(object["host"])
      process = object["process"].flatMap(Int.init(json:))
      system = Self.text(object["system"])
      memory = Self.number(object["memory"])
      pace = min(max(Self.number(object["refresh"]) ?? 1, 0.1), 3600)
      hasEnded = object["ended"].flatMap(Bool.init(json:)) ?? false
      edit = object["edit"].flatMap(Int.init(json:)) ?? 0
      metrics = Self.list(object["metrics"], Self.mostMetrics, Self.metric)
      events = Self.list(object["events"], Self.mostEvents, Self.event)
      endpoints = Self.list(object["endpoints"], Self.mostEndpoints, Self.endpoint)
    }

    private static func list<Element>(
      _ json: JSONValue?, _ most: Int, _ read: (JSONObject) -> Element?
    ) -> [Element] {
      guard case .array(let elements) = json else { return [] }
      return elements.prefix(most).compactMap { JSONObject(json: $0).flatMap(read) }
    }

    private static func metric(_ object: JSONObject) -> Metric? {
      guard let name = text(object["name"]), let unit = object["unit"].flatMap(Unit.init(json:)) else { return nil }
      return Metric(
        name: name, unit: unit, value: number(object["value"]), reason: text(object["unavailable"]),
        threshold: threshold(object["threshold"]),
        range: object["nominal"].flatMap(NominalRange.init(json:)) ?? .lower,
        side: object["state"].flatMap(Side.init(json:)) ?? .unknown)
    }

    private static func event(_ object: JSONObject) -> Event? {
      guard let number = object["number"].flatMap(Int.init(json:)), number > 0, let metric = text(object["metric"]),
        let unit = object["unit"].flatMap(Unit.init(json:)), let side = object["state"].flatMap(Side.init(json:))
      else { return nil }
      return Event(
        number: number, date: time(object["date"]) ?? .now, metric: metric, unit: unit,
        value: Self.number(object["value"]),
        threshold: threshold(object["threshold"]), side: side)
    }

    private static func endpoint(_ object: JSONObject) -> Endpoint? {
      guard let name = text(object["name"]), let calls = object["calls"].flatMap(Int.init(json:)),
        let errors = object["errors"].flatMap(Int.init(json:)), let mean = number(object["mean"])
      else { return nil }
      return Endpoint(
        name: name, calls: calls, errors: errors, mean: mean, percentile99: number(object["p99"]) ?? mean,
        lastCall: time(object["lastCall"]))
    }

    // MARK: Values

    private static func text(_ json: JSONValue?) -> String? {
      guard let text = json.flatMap(String.init(json:)), !text.isEmpty else { return nil }
      return String(text.harmless.prefix(longestName))
    }

    private static func number(_ json: JSONValue?) -> Double? {
      json.flatMap(Double.init(json:)).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func threshold(_ json: JSONValue?) -> Double? {
      number(json).flatMap { abs($0) < largestThreshold ? $0 : nil }
    }

    /// Seconds since 1970. A program's clock may be wrong, but the page can show its times.
    private static func time(_ json: JSONValue?) -> Timestamp? {
      guard let seconds = number(json), (0...32_503_680_000).contains(seconds) else { return nil }
      return Timestamp(microsecondsSince1970: Int64(seconds * 1e6))
    }
  }
#endif

import CrashReportModel
import Watcher

/// The contents of a push to `crashsym desk`. Docs/desk.md describes the format.
struct DeskPush {
  static let schema = "crashkit-live/1"
  /// The largest threshold that the desk may set.
  private static let largestThreshold = 1e300

  var object = JSONObject()

  /// Makes a push with facts that do not change.
  init(_ facts: JSONObject) {
    object["schema"] = Self.schema.json
    object.members += facts.members
  }

  mutating func add(_ managers: [any Watcher.MetricManagerUseCase]) {
    object["metrics"] = managers.map(Self.metric).json
  }

  mutating func add(_ events: [(number: Int, event: Watcher.MetricThresholdEvent)]) {
    object["events"] = events.map { Self.event($0.number, $0.event) }.json
  }

  mutating func add(_ statistics: Watcher.Statistics) {
    object["system"] = statistics.system.json
    object["memory"] = statistics.memoryInUse.map { Double($0).json }
    object["endpoints"] = statistics.endpoints.map(Self.endpoint).json
  }

  private static func metric(_ manager: any Watcher.MetricManagerUseCase) -> JSONObject {
    var object = JSONObject()
    let reading = manager.reading
    object["name"] = manager.metric.name.json
    object["unit"] = manager.metric.unit.rawValue.json
    object["value"] = reading.value?.json
    object["unavailable"] = reading.unavailability?.description.json
    let threshold = manager.threshold
    if abs(threshold) < largestThreshold { object["threshold"] = threshold.json }
    object["nominal"] = manager.thresholdRange.rawValue.json
    object["state"] = manager.thresholdState.rawValue.json
    return object
  }

  private static func event(_ number: Int, _ event: Watcher.MetricThresholdEvent) -> JSONObject {
    var object = JSONObject()
    object["number"] = number.json
    object["date"] = event.date.json
    object["metric"] = event.metric.name.json
    object["unit"] = event.metric.unit.rawValue.json
    object["state"] = event.state.rawValue.json
    object["value"] = event.value?.json
    if abs(event.threshold) < largestThreshold { object["threshold"] = event.threshold.json }
    return object
  }

  private static func endpoint(_ endpoint: Watcher.ResponseTimes.Endpoint) -> JSONObject {
    var object = JSONObject()
    object["name"] = endpoint.name.json
    object["calls"] = Int(clamping: endpoint.calls).json
    object["errors"] = Int(clamping: endpoint.errors).json
    object["mean"] = endpoint.mean.json
    object["p99"] = endpoint.percentile99.json
    object["lastCall"] = endpoint.lastCall.json
    return object
  }
}

/// The desk's answer.
struct DeskPushAnswer {
  /// The desk has all events up to this number.
  var events: Int
  /// The number of the change of thresholds that the desk wants.
  var edit: Int?
  var thresholds: [(metric: String, threshold: Double)]

  /// Reads an answer; `nil` if it is not an answer of a desk.
  init?(_ bytes: [UInt8]) {
    guard let object = try? JSONParser.parse(bytes).object,
      let events = object["events"].flatMap(Int.init(json:))
    else { return nil }
    self.events = events
    edit = object["edit"].flatMap(Int.init(json:))
    let list = object["thresholds"].flatMap([JSONObject].init(json:)) ?? []
    thresholds = list.compactMap { object in
      guard let metric = object["metric"].flatMap(String.init(json:)),
        let threshold = object["threshold"].flatMap(Double.init(json:)), threshold.isFinite
      else { return nil }
      return (metric, threshold)
    }
  }
}

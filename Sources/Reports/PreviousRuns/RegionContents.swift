import CCrashCapture
import CProcessHooks
import CrashReportModel

/// The data that a process left in its ring file, in the form of a report.
struct RegionContents {
  private static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
  private static let metricStates = ["unknown", "nominal", "critical"]

  let header: ck_region_view
  private(set) var breadcrumbs: [CrashReport.Breadcrumb] = []
  private(set) var omittedBreadcrumbs = 0
  private(set) var attributes = JSONObject()
  private(set) var metrics: [CrashReport.Metric] = []
  /// The latest of the moments in the file, in nanoseconds of the process's CLOCK_MONOTONIC.
  private(set) var latest: UInt64

  /// Reads a file's bytes; `nil` if they are not those of a region.
  init?(_ bytes: [UInt8]) {
    // Allocated rather than borrowed from the array: readers want words.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 8), alignment: 8)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    var view = ck_region_view()
    guard ck_region_view_bytes(&view, memory.baseAddress!, bytes.count) else { return nil }
    header = view
    latest = view.last_alive
    readBreadcrumbs(&view)
    readAttributes(&view)
    readMetrics(&view)
  }

  /// A moment of the process's CLOCK_MONOTONIC in UTC; `nil` for what no clock says.
  func moment(_ nanoseconds: UInt64) -> Timestamp? {
    guard nanoseconds > 0, nanoseconds < UInt64(Int64.max) else { return nil }
    let (sum, overflow) = Int64(nanoseconds).addingReportingOverflow(header.clock_offset)
    return overflow || sum < 0 ? nil : Timestamp(microsecondsSince1970: sum / 1000)
  }

  /// The file in which the kernel counts what the process's control group ran into, as the process found it at its start.
  var eventsPath: String? {
    let length = Int(header.evidence.events_path_length)
    guard length > 0, length < Int(CK_EVENTS_PATH_MAX) else { return nil }
    return String(decoding: bytes(of: header.evidence.events_path, length), as: UTF8.self)
  }

  private mutating func readBreadcrumbs(_ view: inout ck_region_view) {
    withUnsafeTemporaryAllocation(of: ck_ring_reader.self, capacity: 1) { buffer in
      let reader = buffer.baseAddress!
      var crumb = ck_breadcrumb()
      ck_ring_reader_init(reader, &view)
      while ck_ring_next(reader, &crumb) { add(&crumb) }
      omittedBreadcrumbs = Int(clamping: ck_ring_omitted(reader))
    }
  }

  private mutating func add(_ crumb: inout ck_breadcrumb) {
    // A checksum that fits by chance in a damaged file: the report stays valid.
    guard let time = moment(crumb.time), crumb.thread > 0, crumb.thread <= UInt32(Int32.max) else { return }
    latest = max(latest, crumb.time)
    var breadcrumb = CrashReport.Breadcrumb()
    breadcrumb.time = time
    breadcrumb.thread = Int(crumb.thread)
    if crumb.task > 0 { breadcrumb.task = Int(exactly: crumb.task) }
    let level = Int(crumb.level.rawValue)
    breadcrumb.level = level < Self.levels.count ? Self.levels[level] : "info"
    if crumb.category_length > 0 {
      breadcrumb.set("category", bytes: slice(crumb.category, Int(crumb.category_length)))
    }
    breadcrumb.set("message", bytes: slice(crumb.message, Int(crumb.message_length)))
    if crumb.attribute_count > 0 {
      var attributes = JSONObject()
      var offset = 0
      var key = ck_slice()
      var value = ck_slice()
      while ck_breadcrumb_attribute(&crumb, &offset, &key, &value) {
        attributes[text(key)] = .string(text(value))
      }
      breadcrumb.attributes = attributes
    }
    breadcrumbs.append(breadcrumb)
  }

  private mutating func readAttributes(_ view: inout ck_region_view) {
    var attribute = ck_attribute()
    for slot in 0..<Int32(CK_ATTRIBUTE_SLOTS) where ck_attribute_read(&view, slot, &attribute) {
      let key = String(decoding: bytes(of: attribute.key, attribute.key_length), as: UTF8.self)
      let value = String(decoding: bytes(of: attribute.value, attribute.value_length), as: UTF8.self)
      attributes[key] = .string(value)
    }
  }

  private mutating func readMetrics(_ view: inout ck_region_view) {
    var slot = cph_metric()
    for index in 0..<Int32(CPH_METRIC_SLOTS) where ck_metric_read(&view, index, &slot) {
      guard slot.name_length > 0 else { continue }
      var metric = CrashReport.Metric()
      metric.set("name", bytes: bytes(of: slot.name, slot.name_length))
      if slot.unit_length > 0 { metric.set("unit", bytes: bytes(of: slot.unit, slot.unit_length)) }
      let state = slot.has_value ? Int(slot.state.rawValue) : 0
      metric.state = Self.metricStates[state < Self.metricStates.count ? state : 0]
      if slot.has_value {
        metric.value = slot.value
        metric.updatedAt = moment(slot.updated_at)
        if metric.updatedAt != nil { latest = max(latest, slot.updated_at) }
      }
      if slot.has_threshold { metric.threshold = slot.threshold }
      metrics.append(metric)
    }
  }

  private func slice(_ start: UnsafePointer<CChar>, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }

  private func text(_ bytes: ck_slice) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length), as: UTF8.self)
  }
}

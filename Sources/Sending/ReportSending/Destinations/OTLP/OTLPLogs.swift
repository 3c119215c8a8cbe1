import CrashReportModel
import CrashReportView

/// An `ExportLogsServiceRequest` with one record, in OpenTelemetry's two encodings (opentelemetry-proto 1.x).
struct OTLPLogs {
  private static let scope = "crashkit"

  let record: OTLPRecord
  let resource: [OTLPAttribute]
  let client: String

  private var version: String { client.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  // MARK: JSON

  /// Ids are hexadecimal here, unlike in protobuf's own JSON, and 64-bit numbers are texts.
  var json: JSONValue {
    var scope = JSONObject()
    scope["name"] = Self.scope.json
    scope["version"] = version.json
    var scopeLogs = JSONObject()
    scopeLogs["scope"] = scope.json
    scopeLogs["logRecords"] = [recordJSON].json
    var resource = JSONObject()
    resource["attributes"] = self.resource.map(Self.json).json
    var resourceLogs = JSONObject()
    resourceLogs["resource"] = resource.json
    resourceLogs["scopeLogs"] = [scopeLogs].json
    var request = JSONObject()
    request["resourceLogs"] = [resourceLogs].json
    return request.json
  }

  private var recordJSON: JSONObject {
    var object = JSONObject()
    object["timeUnixNano"] = "\(record.time)000".json
    object["observedTimeUnixNano"] = "\(record.observed)000".json
    object["severityNumber"] = record.severity.rawValue.json
    object["severityText"] = record.severity.text.json
    object["eventName"] = record.name.json
    object["body"] = Self.json(.text(record.body)).json
    object["attributes"] = record.attributes.map(Self.json).json
    object["traceId"] = record.traceID?.json
    object["spanId"] = record.spanID?.json
    return object
  }

  private static func json(_ attribute: OTLPAttribute) -> JSONObject {
    var object = JSONObject()
    object["key"] = attribute.name.json
    object["value"] = json(attribute.value).json
    return object
  }

  private static func json(_ value: OTLPAttribute.Value) -> JSONObject {
    var object = JSONObject()
    switch value {
    case .text(let text): object["stringValue"] = text.json
    case .number(let number): object["intValue"] = String(number).json
    case .flag(let flag): object["boolValue"] = flag.json
    }
    return object
  }

  // MARK: Protobuf

  /// The numbers of the fields are those of `opentelemetry/proto/logs/v1/logs.proto` and of the files that it imports.
  var protobuf: [UInt8] {
    let scope = ProtobufMessage {
      $0.add(1, Self.scope)
      $0.add(2, version)
    }
    let scopeLogs = ProtobufMessage {
      $0.add(1, scope)
      $0.add(2, recordMessage)
    }
    let resource = ProtobufMessage { message in
      for attribute in self.resource { message.add(1, Self.message(attribute)) }
    }
    let resourceLogs = ProtobufMessage {
      $0.add(1, resource)
      $0.add(2, scopeLogs)
    }
    return ProtobufMessage { $0.add(1, resourceLogs) }.bytes
  }

  private var recordMessage: ProtobufMessage {
    ProtobufMessage { message in
      message.add(1, fixed: UInt64(clamping: record.time) &* 1000)
      message.add(2, record.severity.rawValue)
      message.add(3, record.severity.text)
      message.add(5, Self.message(.text(record.body)))
      for attribute in record.attributes { message.add(6, Self.message(attribute)) }
      if let traceID = record.traceID, let spanID = record.spanID {
        message.add(9, bytes: TraceID.bytes(traceID))
        message.add(10, bytes: TraceID.bytes(spanID))
      }
      message.add(11, fixed: UInt64(clamping: record.observed) &* 1000)
      message.add(12, record.name)
    }
  }

  private static func message(_ attribute: OTLPAttribute) -> ProtobufMessage {
    ProtobufMessage {
      $0.add(1, attribute.name)
      $0.add(2, message(attribute.value))
    }
  }

  /// One of several fields: it is written even if it is 0.
  private static func message(_ value: OTLPAttribute.Value) -> ProtobufMessage {
    ProtobufMessage {
      switch value {
      case .text(let text): $0.add(1, text)
      case .flag(let flag): $0.add(2, chosen: flag ? 1 : 0)
      case .number(let number): $0.add(3, chosen: number)
      }
    }
  }
}

/// A part of a report: a JSON object with names and types for the keys that are known.
///
/// `Docs/contributing.md` says what a new section needs, from its line in
/// `Sources/Ground/CReportParts/include/CReportParts/section_table.def` on.
///
/// Sections are views over `fields`, so unknown keys and the order of keys are kept whatever is read or changed. A key
/// of another type than expected reads as absent.
public protocol ReportSection: JSONRepresentable, Codable, Sendable, Hashable {
  /// The object as it stands in the report, unknown keys included.
  var fields: JSONObject { get set }
  /// Wraps an object.
  init(fields: JSONObject)
}

extension ReportSection {
  public init() { self.init(fields: JSONObject()) }

  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self.init(fields: object)
  }

  public var json: JSONValue { .object(fields) }

  public init(from decoder: any Decoder) throws { self.init(fields: try JSONObject(from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }

  /// The value of a key in the type that is asked for; setting `nil` removes the key.
  public subscript<Value: JSONRepresentable>(key: String) -> Value? {
    get { fields[key].flatMap(Value.init(json:)) }
    set { fields[key] = newValue?.json }
  }
}

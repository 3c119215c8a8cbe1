/// A Swift type that has one form in a report's JSON.
public protocol JSONRepresentable {
  /// Reads the value; `nil` if the JSON has another shape. Readers of reports treat such a value as absent.
  init?(json: JSONValue)
  /// The value in the form that reports have.
  var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable {
  public init?(json: JSONValue) { self = json }
  public var json: JSONValue { self }
}

extension JSONObject: JSONRepresentable {
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self = object
  }
  public var json: JSONValue { .object(self) }
}

extension String: JSONRepresentable {
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  public var json: JSONValue { .string(self) }
}

/// An enumeration of texts.
extension JSONRepresentable where Self: RawRepresentable, RawValue == String {
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(rawValue: text)
  }
  public var json: JSONValue { .string(rawValue) }
}

extension Bool: JSONRepresentable {
  public init?(json: JSONValue) {
    guard case .bool(let flag) = json else { return nil }
    self = flag
  }
  public var json: JSONValue { .bool(self) }
}

/// Integers are numbers up to 2^53 and strings beyond, because most readers of JSON hold numbers as `Double`.
extension Int: JSONRepresentable {
  public init?(json: JSONValue) {
    switch json {
    case .number(let text), .string(let text):
      if let exact = Int(text) {
        self = exact
      } else if let number = Double(text), let exact = Int(exactly: number) {
        self = exact
      } else {
        return nil
      }
    default: return nil
    }
  }

  public var json: JSONValue {
    magnitude <= 1 << 53 ? .number(description) : .string(description)
  }
}

/// Non-finite numbers are the strings `nan`, `inf` and `-inf`.
extension Double: JSONRepresentable {
  public init?(json: JSONValue) {
    switch json {
    case .number(let text):
      guard let number = Double(text) else { return nil }
      self = number
    case .string(let text):
      // `Double("…")` also reads hexadecimal and spelled-out forms that a report never holds.
      switch text {
      case "nan", "-nan": self = .nan
      case "inf": self = .infinity
      case "-inf": self = -.infinity
      default:
        guard let whole = Int(text) else { return nil }
        self = Double(whole)
      }
    default: return nil
    }
  }

  public var json: JSONValue {
    isNaN ? .string("nan") : isInfinite ? .string(self < 0 ? "-inf" : "inf") : .number(description)
  }
}

/// Elements of another shape are left out.
extension Array: JSONRepresentable where Element: JSONRepresentable {
  public init?(json: JSONValue) {
    guard case .array(let elements) = json else { return nil }
    self = elements.compactMap(Element.init(json:))
  }
  public var json: JSONValue { .array(map(\.json)) }
}

/// A part of a report: a JSON object with names and types for the known keys.
///
/// `ReportSections.swift` lists the sections.
///
/// A section stores everything in `fields`, and its properties read and write single keys there. So unknown keys and
/// the order of keys stay when you change a property. If the value of a key has an unexpected type, the key is treated
/// as absent.
public protocol ReportSection: JSONRepresentable, Codable, Sendable, Hashable {
  /// The object as it is in the report, including unknown keys.
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

  /// The value of a key in the requested type. Setting `nil` removes the key.
  public subscript<Value: JSONRepresentable>(key: String) -> Value? {
    get { fields[key].flatMap(Value.init(json:)) }
    set { fields[key] = newValue?.json }
  }
}

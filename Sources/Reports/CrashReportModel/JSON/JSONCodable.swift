/// So that reports go through any of Swift's encoders and decoders.
extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let object = try? JSONObject(from: decoder) {
      self = .object(object)
      return
    }
    if var list = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
      self = .array(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let number = try? container.decode(Int64.self) {
      self = .number(number.description)
    } else if let number = try? container.decode(UInt64.self) {
      self = .number(number.description)
    } else {
      self = try container.decode(Double.self).json
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object): try object.encode(to: encoder)
    case .array(let elements):
      var list = encoder.unkeyedContainer()
      for element in elements { try list.encode(element) }
    default: try encodeScalar(to: encoder)
    }
  }

  private func encodeScalar(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let flag): try container.encode(flag)
    case .string(let text): try container.encode(text)
    case .number(let text):
      if let number = Int64(text) {
        try container.encode(number)
      } else if let number = UInt64(text) {
        try container.encode(number)
      } else if let number = Double(text), number.isFinite {
        try container.encode(number)
      } else {
        try container.encode(text)
      }
    default: try container.encodeNil()
    }
  }
}

extension JSONObject: Codable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      members: try container.allKeys.map { key in
        Member(key: key.stringValue, value: try container.decode(JSONValue.self, forKey: key))
      })
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for member in members {
      try container.encode(member.value, forKey: Key(stringValue: member.key))
    }
  }
}

/// A JSON value of a report, for known and unknown keys.
///
/// A number keeps its original text. So a report that is read and written again has the same numbers, even those
/// outside the range of `Double`.
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number, as the text of the literal.
  case number(String)
  /// A string, with escapes resolved.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, with the order of its members kept.
  case object(JSONObject)
}

/// A JSON object whose members keep their order.
///
/// A look-up searches all members, because the objects of a report are small. If a key occurs twice, the look-up
/// returns the last value, as most readers of JSON do.
public struct JSONObject: Sendable, Hashable {
  /// One key and its value.
  public struct Member: Sendable, Hashable {
    /// The key, with escapes resolved.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// Pairs a key with a value.
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The members in the order of the file.
  public var members: [Member]

  /// Makes an object with these members, by default without any.
  public init(members: [Member] = []) {
    self.members = members
  }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a key. If you set a value, it replaces the old value in place; a new key is added at the end. If you
  /// set `nil`, the key is removed.
  public subscript(key: String) -> JSONValue? {
    get { members.last { $0.key == key }?.value }
    set {
      guard let newValue else { return members.removeAll { $0.key == key } }
      if let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value = newValue
      } else {
        members.append(Member(key: key, value: newValue))
      }
    }
  }
}

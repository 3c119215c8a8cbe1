/// What a key of a section holds, as far as a copy for a ticket has to know.
enum ScrubbedValue: Sendable {
  /// A text, or a number. Credentials and user names in it are replaced.
  case text
  /// The name of a function, or a path. Labels such as `password:` are part of it. So only user names, and texts in the
  /// form of a credential, are replaced.
  case name
  /// A text that is replaced as a whole.
  case hidden
  /// An object whose values are replaced as a whole; its keys stay.
  case values
  /// The registers; two of them are kept.
  case registers
  case section(any ListedSection.Type)
  indirect case list(ScrubbedValue)

  private static let pointers: Set = ["rip", "rsp", "pc", "sp"]

  /// The value as a ticket may have it; `nil` for one of another shape than the key's, which no reader would use.
  ///
  /// - Parameter kept: Keys of the program's own values that stay.
  func scrubbed(_ value: JSONValue, keeping kept: Set<String> = []) -> JSONValue? {
    switch (self, value) {
    case (.section(let type), .object(let object)): .object(object.scrubbed(as: type, keeping: kept))
    case (.list(let element), .array(let elements)): .array(elements.compactMap { element.scrubbed($0, keeping: kept) })
    case (.values, .object(let object)):
      .object(
        object.mappingMembers { member in
          let value = kept.contains(member.key) ? Self.text.scrubbed(member.value) : nil
          return value ?? .string(CrashReport.scrubbedText)
        })
    case (.registers, .object(let object)):
      .object(object.keeping(Self.pointers).mappingMembers { Self.text.scrubbed($0.value) })
    case (.section, _), (.list, _), (.values, _), (.registers, _): nil
    case (.text, .string(let text)): .string(text.withoutCredentials.withUsersScrubbed)
    case (.name, .string(let text)): .string(text.nameWithoutCredentials.withUsersScrubbed)
    case (.hidden, .string): .string(CrashReport.scrubbedText)
    case (.text, .array), (.text, .object), (.name, .array), (.name, .object), (.hidden, .array), (.hidden, .object):
      nil
    case (_, .null), (_, .bool), (_, .number): value
    }
  }
}

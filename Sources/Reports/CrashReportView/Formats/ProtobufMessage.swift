/// An encoded message of Protocol Buffers: numbers, texts and messages, by the numbers of their fields.
package struct ProtobufMessage {
  private enum Kind: Int {
    case number = 0
    case eightBytes = 1
    case bytes = 2
  }

  /// The encoded message.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Makes a message; the body adds the fields.
  package init(_ body: (inout ProtobufMessage) -> Void) { body(&self) }

  /// Adds a number. 0 is left out.
  package mutating func add(_ field: Int, _ number: Int) {
    guard number != 0 else { return }
    append(field, .number)
    append(number)
  }

  /// Adds a text, also an empty text, which tables need.
  package mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  package mutating func add(_ field: Int, _ message: ProtobufMessage) { add(field, message.bytes) }

  /// Adds several numbers in one field.
  package mutating func add(_ field: Int, packed numbers: [Int]) {
    var list = ProtobufMessage()
    for number in numbers { list.append(number) }
    add(field, list.bytes)
  }

  /// Adds a number whose presence selects one of several fields. 0 is not left out.
  package mutating func add(_ field: Int, chosen number: Int) {
    append(field, .number)
    append(number)
  }

  /// Adds a number of 64 bits in eight bytes, the lowest first.
  package mutating func add(_ field: Int, fixed number: UInt64) {
    append(field, .eightBytes)
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Adds bytes that are not a text.
  package mutating func add(_ field: Int, bytes content: [UInt8]) { add(field, content) }

  private mutating func add(_ field: Int, _ content: [UInt8]) {
    append(field, .bytes)
    append(content.count)
    bytes += content
  }

  private mutating func append(_ field: Int, _ kind: Kind) { append(field << 3 | kind.rawValue) }

  /// Seven bits a byte, the lowest first. Negative numbers take ten bytes, as the encoding has it.
  private mutating func append(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number))
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

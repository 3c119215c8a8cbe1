/// A message of Protocol Buffers, in its encoding: numbers, texts and messages by the numbers of their fields.
package struct ProtobufMessage {
  private enum Kind: Int {
    case number = 0
    case eightBytes = 1
    case bytes = 2
  }

  /// The encoded message.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// A message with what the body adds.
  package init(_ body: (inout ProtobufMessage) -> Void) { body(&self) }

  /// A number; 0 is what is left out.
  package mutating func add(_ field: Int, _ number: Int) {
    guard number != 0 else { return }
    append(field, .number)
    append(number)
  }

  /// A text, also an empty one: tables have it.
  package mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  package mutating func add(_ field: Int, _ message: ProtobufMessage) { add(field, message.bytes) }

  /// Numbers in one field.
  package mutating func add(_ field: Int, packed numbers: [Int]) {
    var list = ProtobufMessage()
    for number in numbers { list.append(number) }
    add(field, list.bytes)
  }

  /// A number that says by its presence which of several fields is meant: also 0.
  package mutating func add(_ field: Int, chosen number: Int) {
    append(field, .number)
    append(number)
  }

  /// A number of 64 bits in eight bytes, the lowest first.
  package mutating func add(_ field: Int, fixed number: UInt64) {
    append(field, .eightBytes)
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Bytes that are no text.
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

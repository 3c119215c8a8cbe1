/// Reads one JSON object from bytes that may be damaged or end too early.
///
/// The parser never recurses, whatever the input, because it has its own stack. It stops at its limits. It keeps
/// everything before a cut or a damaged place: it closes open objects and arrays there, and drops an incomplete key or
/// value. Bytes that are not UTF-8, and lone surrogates, become U+FFFD.
public struct JSONParser {
  /// Limits for the input.
  public struct Limits: Sendable {
    /// How deep arrays and objects may nest.
    public var depth: Int
    /// How many values the whole object may hold, including the values of nested objects and arrays.
    public var values: Int

    /// Sets the limits. The defaults are enough for a report of 10,000 threads with 100 frames each.
    public init(depth: Int = 128, values: Int = 4_000_000) {
      self.depth = depth
      self.values = values
    }
  }

  /// Why an object could not be read at all. Offsets are in bytes from the start of the input.
  public enum Failure: Error, Hashable {
    /// There is no `{` at this offset.
    case notAnObject(offset: Int)
    /// Arrays and objects nest deeper than the limit.
    case tooDeep(offset: Int, limit: Int)
    /// There are more values than the limit.
    case tooManyValues(offset: Int, limit: Int)
  }

  /// Where and why an object ended before its last brace.
  public struct Cut: Sendable, Hashable {
    /// The offset in bytes of the first byte that could not be used.
    public var offset: Int
    /// The place in the object, such as `threads[3].frames[12]`; empty at the top.
    public var path: String
    /// Whether the input ended there. Otherwise the following bytes are not JSON.
    public var isEndOfInput: Bool
  }

  /// The result of reading.
  public struct Outcome {
    /// The object, up to the cut if there is one.
    public var object: JSONObject
    /// The offset of the byte after the object; if the object was cut, the offset of the cut.
    public var end: Int
    /// Where and why the object was cut; `nil` if it is complete.
    public var cut: Cut?
  }

  let bytes: UnsafeRawBufferPointer
  let limits: Limits
  var position = 0
  private var stack: [Open] = []
  private var valueCount = 0
  /// The member count of the last object: the next one of an array mostly has as many.
  private var lastMemberCount = 0

  private struct Open {
    var isObject: Bool
    var members: [JSONObject.Member] = []
    var elements: [JSONValue] = []
    /// The key whose value is being read.
    var key: String?
  }

  private enum Step: Error { case stop }

  private init(bytes: UnsafeRawBufferPointer, limits: Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Reads the object that begins at the offset, after white space.
  ///
  /// - Throws: `Failure` if there is no object or a limit is exceeded.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, at offset: Int = 0, limits: Limits = .init()
  ) throws(Failure) -> Outcome {
    var parser = JSONParser(bytes: bytes, limits: limits)
    parser.position = offset
    return try parser.parseObject()
  }

  /// Reads the object at the beginning of the bytes.
  public static func parse(_ bytes: [UInt8], limits: Limits = .init()) throws -> Outcome {
    try bytes.withUnsafeBytes { try parse($0, limits: limits) }
  }

  private mutating func parseObject() throws(Failure) -> Outcome {
    skipSpace()
    guard byte == UInt8(ascii: "{") else { throw .notAnObject(offset: position) }
    position += 1
    stack = [Open(isObject: true)]
    while true {
      do {
        if let whole = try step() { return Outcome(object: whole, end: position, cut: nil) }
      } catch let failure as Failure {
        throw failure
      } catch {
        return cutHere()
      }
    }
  }

  /// Reads up to the next value or closing bracket of the innermost container; returns the whole object at its end.
  private mutating func step() throws -> JSONObject? {
    skipSpace()
    let top = stack.count - 1
    let isEmpty = stack[top].isObject ? stack[top].members.isEmpty : stack[top].elements.isEmpty
    let close = UInt8(ascii: stack[top].isObject ? "}" : "]")
    if byte == close {
      position += 1
      return try closeContainer()
    }
    if !isEmpty {
      try take(UInt8(ascii: ","))
      skipSpace()
    }
    if stack[top].isObject {
      guard byte == UInt8(ascii: "\"") else { throw Step.stop }
      stack[top].key = try string()
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
    }
    try value()
    return nil
  }

  private mutating func closeContainer() throws -> JSONObject? {
    let closed = stack.removeLast()
    if closed.isObject { lastMemberCount = closed.members.count }
    if stack.isEmpty { return JSONObject(members: closed.members) }
    add(closed.isObject ? .object(JSONObject(members: closed.members)) : .array(closed.elements))
    return nil
  }

  private mutating func value() throws {
    valueCount += 1
    guard valueCount <= limits.values else {
      throw Failure.tooManyValues(offset: position, limit: limits.values)
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard stack.count < limits.depth else { throw Failure.tooDeep(offset: position, limit: limits.depth) }
      var open = Open(isObject: byte == UInt8(ascii: "{"))
      if open.isObject { open.members.reserveCapacity(lastMemberCount) }
      stack.append(open)
      position += 1
    case UInt8(ascii: "\""): add(.string(try string()))
    case UInt8(ascii: "t"): add(.bool(try word("true", true)))
    case UInt8(ascii: "f"): add(.bool(try word("false", false)))
    case UInt8(ascii: "n"): add(try word("null", JSONValue.null))
    default: add(.number(try number()))
    }
  }

  private mutating func add(_ value: JSONValue) {
    let top = stack.count - 1
    if stack[top].isObject {
      stack[top].members.append(.init(key: stack[top].key ?? "", value: value))
      stack[top].key = nil
    } else {
      stack[top].elements.append(value)
    }
  }

  /// Closes everything that is open.
  private mutating func cutHere() -> Outcome {
    let path = openPath
    let cut = Cut(offset: position, path: path, isEndOfInput: position >= bytes.count)
    while stack.count > 1 {
      let closed = stack.removeLast()
      add(closed.isObject ? .object(JSONObject(members: closed.members)) : .array(closed.elements))
    }
    return Outcome(object: JSONObject(members: stack[0].members), end: position, cut: cut)
  }

  private var openPath: String {
    var path = ""
    for open in stack {
      if !open.isObject {
        path += "[\(open.elements.count)]"
      } else if let key = open.key {
        path += path.isEmpty ? key : ".\(key)"
      }
    }
    return path
  }

  // MARK: - Bytes

  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ wanted: UInt8) throws {
    guard byte == wanted else { throw Step.stop }
    position += 1
  }

  private mutating func word<Result>(_ text: StaticString, _ result: Result) throws -> Result {
    let length = text.utf8CodeUnitCount
    guard position + length <= bytes.count else {
      position = bytes.count
      throw Step.stop
    }
    for index in 0..<length where bytes[position + index] != text.utf8Start[index] { throw Step.stop }
    position += length
    return result
  }

  /// A number at the very end of the input may lack digits, so that one counts as cut.
  private mutating func number() throws -> String {
    let start = position
    var scan = JSONNumberScan()
    while let byte, scan.accept(byte) { position += 1 }
    guard scan.isComplete, position < bytes.count else {
      if position < bytes.count { position = start }
      throw Step.stop
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string() throws -> String {
    guard let (text, end) = JSONStringScan.read(bytes, from: position + 1) else {
      position = JSONStringScan.firstBadByte(bytes, from: position + 1)
      throw Step.stop
    }
    position = end
    return text
  }
}

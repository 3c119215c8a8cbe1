/// A demangled C++ name as its author would write it: `std::map<std::string, int>` for
/// `std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>, int, std::less<…>, …>`.
///
/// Leaves out the template arguments of the standard library that are equal to their defaults, its inline namespaces
/// and ABI tags, and uses its aliases. The type printers of libstdc++ for gdb do the same.
struct ReadableCxxName {
  /// Deeper templates and parentheses are shown as the demangler shows them.
  private static let deepest = 100

  private let name: [UInt8]
  private var position = 0
  private var made: [UInt8] = []
  private var depth = 0
  /// The length of `made` behind the last operator's name: a `<` there begins template arguments.
  private var operatorEnd = -1

  /// The name as its author would write it, or the same name if its brackets do not match.
  static func simplified(_ name: String) -> String {
    guard name.firstRange(of: "std::") != nil || name.firstRange(of: "[abi:") != nil else { return name }
    var reading = ReadableCxxName(name: Array(name.utf8))
    guard reading.piece(until: []), reading.position == reading.name.count else { return name }
    return String(decoding: reading.made, as: UTF8.self)
  }

  private init(name: [UInt8]) {
    self.name = name
    made.reserveCapacity(name.count)
  }

  /// Makes what stands before one of these bytes, or before the end of the name.
  private mutating func piece(until ends: [UInt8]) -> Bool {
    while position < name.count {
      let byte = name[position]
      if ends.contains(byte) { return true }
      if Self.isOfIdentifier(byte) {
        identifier()
      } else if skip("[abi:") {
        guard let end = name[position...].firstIndex(of: UInt8(ascii: "]")) else { return false }
        position = end + 1
      } else if byte == UInt8(ascii: "<"), beginsArguments {
        guard arguments() else { return false }
      } else if let close = Self.closing[byte] {
        guard enclosed(until: close) else { return false }
      } else if copy("->") {
        continue
      } else if Self.closing.values.contains(byte) {
        return false
      } else {
        made.append(byte)
        position += 1
      }
    }
    return ends.isEmpty
  }

  private static let closing: [UInt8: UInt8] = [
    UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"), UInt8(ascii: "{"): UInt8(ascii: "}"),
  ]

  /// Parentheses and brackets stay.
  private mutating func enclosed(until close: UInt8) -> Bool {
    guard depth < Self.deepest else { return false }
    depth += 1
    made.append(name[position])
    position += 1
    guard piece(until: [close]) else { return false }
    made.append(close)
    position += 1
    depth -= 1
    return true
  }

  private mutating func identifier() {
    let start = position
    while position < name.count, Self.isOfIdentifier(name[position]) { position += 1 }
    let word = name[start..<position]
    if Self.inlineNamespaces.contains(where: word.elementsEqual), Self.std.elementsEqual(made.suffix(5)),
      name[position...].starts(with: "::".utf8)
    {
      position += 2
      return
    }
    made += word
    guard word.elementsEqual("operator".utf8) else { return }
    _ = Self.operators.contains { copy($0) }
    operatorEnd = made.count
  }

  private static let std = "std::".utf8
  /// Of libstdc++ and of libc++.
  private static let inlineNamespaces = ["__cxx11".utf8, "_V2".utf8, "__1".utf8, "__ndk1".utf8]
  /// Those with brackets or commas, longer ones first.
  private static let operators: [StaticString] = [
    "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", ",",
  ]

  private var beginsArguments: Bool {
    guard let last = made.last else { return false }
    if made.count == operatorEnd || (made.count == operatorEnd + 1 && last == UInt8(ascii: " ")) { return true }
    return Self.isOfIdentifier(last)
  }

  /// Makes template arguments, without those that are equal to their defaults.
  private mutating func arguments() -> Bool {
    guard depth < Self.deepest else { return false }
    depth += 1
    var before: [UInt8] = []
    var arguments: [[UInt8]] = []
    repeat {
      position += 1
      swap(&made, &before)
      let isWhole = piece(until: [UInt8(ascii: ","), UInt8(ascii: ">")])
      swap(&made, &before)
      guard isWhole else { return false }
      arguments.append(Self.withoutBlanks(before))
      before = []
    } while name[position] == UInt8(ascii: ",")
    position += 1
    depth -= 1
    add(arguments)
    return true
  }

  private mutating func add(_ arguments: [[UInt8]]) {
    let start = made.lastIndex { !Self.isOfIdentifier($0) && $0 != UInt8(ascii: ":") }.map { $0 + 1 } ?? 0
    var arguments = arguments
    if made[start...].starts(with: Self.std) {
      let template = String(decoding: made[start...].dropFirst(5), as: UTF8.self)
      let defaults = Self.defaults[template] ?? []
      while let last = arguments.last, arguments.count <= defaults.count, let value = defaults[arguments.count - 1],
        value.isEqual(to: last, arguments)
      {
        arguments.removeLast()
      }
      if arguments.count == 1, let character = Self.characters[String(decoding: arguments[0], as: UTF8.self)],
        let alias = template.after("basic_"), defaults.count > 1
      {
        made.removeSubrange((start + 5)...)
        made += (character + alias).utf8
        return
      }
    }
    made.append(UInt8(ascii: "<"))
    made += arguments.joined(separator: ", ".utf8)
    made.append(UInt8(ascii: ">"))
  }

  /// A template argument's default value.
  private enum Default {
    /// A template of the standard library over the first argument.
    case ofFirst(String)
    /// An allocator. Which type it allocates follows from the container.
    case allocator

    func isEqual(to argument: [UInt8], _ arguments: [[UInt8]]) -> Bool {
      switch self {
      case .allocator: argument.starts(with: "std::allocator<".utf8)
      case .ofFirst(let template):
        argument.starts(with: "std::\(template)<".utf8) && argument.last == UInt8(ascii: ">")
          && argument.dropFirst(template.utf8.count + 6).dropLast().elementsEqual(arguments[0])
      }
    }
  }

  /// For each template of the standard library, the defaults of its arguments; `nil` if one has none.
  private static let defaults: [String: [Default?]] = {
    let sequence: [Default?] = [nil, .allocator]
    let set: [Default?] = [nil, .ofFirst("less"), .allocator]
    let map: [Default?] = [nil, nil, .ofFirst("less"), .allocator]
    let hashedSet: [Default?] = [nil, .ofFirst("hash"), .ofFirst("equal_to"), .allocator]
    let hashedMap: [Default?] = [nil, nil, .ofFirst("hash"), .ofFirst("equal_to"), .allocator]
    let adapter: [Default?] = [nil, .ofFirst("deque")]
    let stream: [Default?] = [nil, .ofFirst("char_traits")]
    let string: [Default?] = [nil, .ofFirst("char_traits"), .allocator]
    return [
      "vector": sequence, "deque": sequence, "list": sequence, "forward_list": sequence, "set": set, "multiset": set,
      "map": map, "multimap": map, "unordered_set": hashedSet, "unordered_multiset": hashedSet,
      "unordered_map": hashedMap, "unordered_multimap": hashedMap, "queue": adapter, "stack": adapter,
      "priority_queue": [nil, .ofFirst("vector"), .ofFirst("less")], "unique_ptr": [nil, .ofFirst("default_delete")],
      "basic_string": string, "basic_stringstream": string, "basic_istringstream": string,
      "basic_ostringstream": string, "basic_stringbuf": string, "basic_string_view": stream, "basic_ios": stream,
      "basic_istream": stream, "basic_ostream": stream, "basic_iostream": stream, "basic_streambuf": stream,
      "basic_ifstream": stream, "basic_ofstream": stream, "basic_fstream": stream, "basic_filebuf": stream,
    ]
  }()

  /// What an alias begins with, by the type of its characters: `wstring` is `basic_string<wchar_t>`.
  private static let characters = [
    "char": "", "wchar_t": "w", "char8_t": "u8", "char16_t": "u16", "char32_t": "u32",
  ]

  private mutating func skip(_ text: StaticString) -> Bool {
    let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard name[position...].starts(with: bytes) else { return false }
    position += bytes.count
    return true
  }

  private mutating func copy(_ text: StaticString) -> Bool {
    guard skip(text) else { return false }
    made += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return true
  }

  private static func isOfIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static func withoutBlanks(_ text: [UInt8]) -> [UInt8] {
    let first = text.firstIndex { $0 != UInt8(ascii: " ") } ?? text.endIndex
    let last = text.lastIndex { $0 != UInt8(ascii: " ") } ?? first - 1
    return Array(text[first..<max(first, last + 1)])
  }
}

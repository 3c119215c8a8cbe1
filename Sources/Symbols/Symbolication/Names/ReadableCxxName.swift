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
    guard reading.piece(until: 0), reading.position == reading.name.count else { return name }
    return String(decoding: reading.made, as: UTF8.self)
  }

  private init(name: [UInt8]) {
    self.name = name
    made.reserveCapacity(name.count)
  }

  /// Makes what stands before this byte, or before the end of the name if it is 0. A comma ends a template argument too.
  private mutating func piece(until end: UInt8) -> Bool {
    while position < name.count {
      let byte = name[position]
      if byte == end && end != 0 || byte == UInt8(ascii: ",") && end == UInt8(ascii: ">") { return true }
      if Self.isOfIdentifier(byte) {
        identifier()
        continue
      }
      switch byte {
      case UInt8(ascii: "["):
        if skip("[abi:") {
          guard let end = name[position...].firstIndex(of: UInt8(ascii: "]")) else { return false }
          position = end + 1
        } else if !enclosed(until: UInt8(ascii: "]")) {
          return false
        }
      case UInt8(ascii: "("): guard enclosed(until: UInt8(ascii: ")")) else { return false }
      case UInt8(ascii: "{"): guard enclosed(until: UInt8(ascii: "}")) else { return false }
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): return false
      case UInt8(ascii: "<") where beginsArguments: guard arguments() else { return false }
      case UInt8(ascii: "-") where copy("->"): break
      default:
        made.append(byte)
        position += 1
      }
    }
    return end == 0
  }

  /// Parentheses and brackets stay.
  private mutating func enclosed(until close: UInt8) -> Bool {
    guard depth < Self.deepest else { return false }
    depth += 1
    made.append(name[position])
    position += 1
    guard piece(until: close) else { return false }
    made.append(close)
    position += 1
    depth -= 1
    return true
  }

  private mutating func identifier() {
    let start = position
    while position < name.count, Self.isOfIdentifier(name[position]) { position += 1 }
    let word = name[start..<position]
    if made.last == UInt8(ascii: ":"), Self.inlineNamespaces.contains(where: word.elementsEqual),
      made.suffix(5).elementsEqual(Self.std), name[position...].starts(with: "::".utf8)
    {
      position += 2
      return
    }
    made += word
    guard word.count == 8, word.elementsEqual("operator".utf8) else { return }
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
    let open = made.count
    let template = made.lastIndex { !Self.isOfIdentifier($0) && $0 != UInt8(ascii: ":") }.map { $0 + 1 } ?? 0
    let defaults = made[template...].starts(with: Self.std) ? Self.defaults(of: made[(template + 5)...]) : nil
    made.append(UInt8(ascii: "<"))
    var ends = [open]
    repeat {
      position += 1
      while position < name.count, name[position] == UInt8(ascii: " ") { position += 1 }
      if ends.count > 1 { made += ", ".utf8 }
      let start = made.count
      guard piece(until: UInt8(ascii: ">")) else { return false }
      while made.count > start, made.last == UInt8(ascii: " ") { made.removeLast() }
      ends.append(made.count)
    } while name[position] == UInt8(ascii: ",")
    position += 1
    depth -= 1
    if let defaults {
      while ends.count > 2, ends.count - 1 <= defaults.count, let value = defaults[ends.count - 2],
        value.isEqual(to: made[(ends[ends.count - 2] + 2)...], first: made[(open + 1)..<ends[1]])
      {
        ends.removeLast()
        made.removeSubrange(ends[ends.count - 1]...)
      }
      if ends.count == 2, useAlias(of: template, arguments: open) { return true }
    }
    made.append(UInt8(ascii: ">"))
    return true
  }

  /// Whether the standard library has a name of its own for a template with one type of characters, as
  /// `std::string` for `std::basic_string<char`.
  private mutating func useAlias(of template: Int, arguments open: Int) -> Bool {
    let prefix = "basic_".utf8
    guard made[(template + 5)...].starts(with: prefix),
      let character = Self.characters[String(decoding: made[(open + 1)...], as: UTF8.self)]
    else { return false }
    made.removeSubrange(open...)
    made.replaceSubrange((template + 5)..<(template + 5 + prefix.count), with: character.utf8)
    return true
  }

  /// A template argument's default value.
  private enum Default {
    /// A template of the standard library over the first argument.
    case ofFirst(String)
    /// An allocator. Which type it allocates follows from the container.
    case allocator

    func isEqual(to argument: ArraySlice<UInt8>, first: ArraySlice<UInt8>) -> Bool {
      guard argument.starts(with: ReadableCxxName.std) else { return false }
      let rest = argument.dropFirst(5)
      switch self {
      case .allocator: return rest.starts(with: "allocator<".utf8)
      case .ofFirst(let template):
        let inner = rest.dropFirst(template.utf8.count)
        return rest.starts(with: template.utf8) && inner.first == UInt8(ascii: "<") && inner.last == UInt8(ascii: ">")
          && inner.dropFirst().dropLast().elementsEqual(first)
      }
    }
  }

  private static func defaults(of template: ArraySlice<UInt8>) -> [Default?]? {
    defaults[String(decoding: template, as: UTF8.self)]
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
}

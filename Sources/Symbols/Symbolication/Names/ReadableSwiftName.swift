/// What a person would call a Swift function: the function that was written, and in brackets behind it what the compiler
/// made of it.
///
/// Works on the short form of the runtime's demangler, which has no modules and no types of arguments, but says
/// `partial apply for specialized closure #1 in static Base64.encode<A>(bytes:)` where a person would say
/// `closure #1 in static Base64.encode(bytes:) [specialized, partial apply]`.
struct ReadableSwiftName {
  /// The function as it was written.
  private(set) var function: String
  /// What the compiler made of it, what came first first: `specialized`, `partial apply`, `witness of Equatable`.
  private(set) var notes: [String] = []

  /// The whole name.
  var text: String { notes.isEmpty ? function : "\(function) [\(notes.joined(separator: ", "))]" }

  /// What the compiler puts before the name of a function it copies or wraps, and what to say instead.
  private static let wrappers: [(prefix: String, note: String?)] = [
    ("specialized ", "specialized"), ("partial apply for ", "partial apply"), ("dispatch thunk of ", "dispatch thunk"),
    ("merged ", nil), ("@nonobjc ", nil), ("@objc ", "thunk"), ("back deployment thunk for ", "back deployment thunk"),
    ("back deployment fallback for ", "back deployment fallback"), ("distributed thunk ", "distributed thunk"),
  ]

  init(short: String) {
    var rest = short[...]
    while !Self.beginsWithCapital(rest), let wrapper = Self.wrappers.first(where: { rest.begins(with: $0.prefix) }) {
      rest = rest.after(wrapper.prefix) ?? ""
      if let note = wrapper.note, !notes.contains(note) { notes.insert(note, at: 0) }
    }
    let wrapped = Self.beginsWithCapital(rest) ? nil : Self.thunk(rest)
    function = Self.scope(wrapped?.function ?? rest)
    if let note = wrapped?.note { notes.insert(note, at: 0) }
  }

  /// Most names begin with a type. No phrase of the compiler's begins with a capital letter.
  private static func beginsWithCapital(_ name: Substring) -> Bool {
    name.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
  }

  /// The function and the notes of a name made by `init`.
  static func parts(of text: String) -> (function: Substring, notes: Substring?) {
    guard text.hasSuffix("]"), let open = text.utf8.lastIndex(of: UInt8(ascii: "[")), open > text.startIndex,
      text.utf8[text.utf8.index(before: open)] == UInt8(ascii: " ")
    else { return (text[...], nil) }
    return (text[..<text.utf8.index(before: open)], text[text.utf8.index(after: open)...].dropLast())
  }

  /// Calls that are the compiler's way to a function, by what they lead to.
  private static func thunk(_ name: Substring) -> (function: Substring, note: String)? {
    if let rest = name.after("protocol witness for "), let mark = rest.firstRange(of: " in conformance ") {
      return witness(rest[..<mark.lowerBound], of: rest[mark.upperBound...])
    }
    if let rest = name.after("vtable thunk for "), let mark = rest.firstRange(of: " dispatching to ") {
      return (rest[mark.upperBound...], "vtable thunk")
    }
    guard name.begins(with: "key path ") else { return nil }
    for accessor in ["key path getter", "key path setter"] {
      guard let rest = name.after(accessor + " for ") else { continue }
      return (rest.firstRange(of: " : ").map { rest[..<$0.lowerBound] } ?? rest, accessor)
    }
    return nil
  }

  /// `MeterHandler.set(_:)` in the conformance of `MuxMeter`: the requirement as a member of the type that meets it.
  private static func witness(_ requirement: Substring, of type: Substring) -> (function: Substring, note: String)? {
    let member = requirement.after("static ")
    let path = member ?? requirement
    guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let name = path[path.utf8.index(after: dot)...]
    let owner = plain(type)
    return ("\(member == nil ? "" : "static ")\(owner).\(name)"[...], "witness of \(path[..<dot])")
  }

  /// A function within others: `closure #1 in …`, `makeChannel #1 <A>(_:) in …`.
  private static func scope(_ name: Substring) -> String {
    if beginsWithCapital(name) { return localFunction(name) ?? plain(name) }
    for closure in ["closure #", "implicit closure #"] {
      guard let rest = name.after(closure) else { continue }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let outer = rest.dropFirst(digits.utf8.count).after(" in ") else { break }
      return "\(closure)\(digits) in \(scope(outer))"
    }
    if name.begins(with: "$defer #"), let mark = name.firstRange(of: " in ") {
      return "defer in " + scope(name[mark.upperBound...])
    }
    if let rest = name.after("default argument "), let mark = rest.firstRange(of: " of ") {
      return defaultArgument(Int(rest[..<mark.lowerBound]) ?? 0, of: rest[mark.upperBound...])
    }
    for (phrase, words) in phrases {
      if let rest = name.after(phrase) { return words + scope(rest) }
    }
    return localFunction(name) ?? plain(name)
  }

  private static let phrases = [
    ("one-time initialization function for ", "initialization of "),
    ("variable initialization expression of ", "initial value of "),
    ("outlined init with copy of ", "outlined copy of "), ("outlined init with take of ", "outlined move of "),
    ("outlined assign with copy of ", "outlined assignment of "),
    ("outlined assign with take of ", "outlined assignment of "), ("destroy for ", "value witness: destroy "),
    ("initializeBufferWithCopyOfBuffer for ", "value witness: copy into a buffer "),
    ("initializeWithCopy for ", "value witness: copy "), ("initializeWithTake for ", "value witness: move "),
    ("assignWithCopy for ", "value witness: assign a copy of "), ("assignWithTake for ", "value witness: assign "),
  ]

  /// `default value of 'count' in Store.load(count:)`
  private static func defaultArgument(_ number: Int, of function: Substring) -> String {
    let function = scope(function)
    guard function.hasSuffix(")"), let open = function.utf8.lastIndex(of: UInt8(ascii: "(")) else {
      return "default value of argument \(number + 1) in \(function)"
    }
    let labels = function[function.utf8.index(after: open)...].dropLast().split(separator: ":")
    guard labels.indices.contains(number), labels[number] != "_" else {
      return "default value of argument \(number + 1) in \(function)"
    }
    return "default value of '\(labels[number])' in \(function)"
  }

  /// `setup() in Server.run()` for `setup #1 @Sendable () in Server.run()`; further ones of the name keep their number.
  private static func localFunction(_ name: Substring) -> String? {
    guard let mark = name.firstRange(of: " #"), let outer = name.range(of: ") in ", after: mark.upperBound) else {
      return nil
    }
    let afterMark = name[mark.upperBound...]
    let digits = afterMark.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let blank = afterMark.dropFirst(digits.utf8.count).after(" ") else { return nil }
    let signature = plain(blank[..<name.utf8.index(after: outer.lowerBound)])
    let number = digits == "1" ? "" : " #\(digits)"
    return "\(plain(name[..<mark.lowerBound]))\(signature)\(number) in \(scope(name[outer.upperBound...]))"
  }

  /// A name without what only the compiler needs: parameters of generics, attributes, spellings of its own.
  private static func plain(_ name: Substring) -> String {
    var text = SwiftFunctionType.simplified(Placeholders.removed(from: name))
    let global = text.before(".unsafeMutableAddressor") ?? text.before(".unsafeAddressor")
    if let global { text = "access to " + global }
    guard partsOfSpellings.contains(where: { text[...].firstRange(of: $0) != nil }) else { return text }
    for (spelling, words) in spellings {
      while let range = text[...].firstRange(of: spelling) { text.replaceSubrange(range, with: words) }
    }
    return text
  }

  private static let spellings = [
    (" infix(", "("), (" prefix(", "("), (" postfix(", "("), ("@Sendable (", "("), ("@MainActor (", "("),
    ("__isolated_deallocating_deinit", "deinit"), ("__deallocating_deinit", "deinit"), ("__allocating_init", "init"),
    ("__derived_enum_equals", "=="), ("__derived_struct_equals", "=="), (".didset", ".didSet"),
    (".willset", ".willSet"),
  ]

  /// Each of the spellings has one of these, and most names have none.
  private static let partsOfSpellings = ["fix(", "@", "__", "set"]
}

/// Parameters of generics, which a short name gives as `<A, B1>` and an extension's constraints as `<>`.
enum Placeholders {
  static func removed(from name: Substring) -> String {
    guard name.firstRange(of: "<") != nil else { return String(name) }
    let bytes = Array(name.utf8)
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<"), let end = end(of: bytes, from: index) {
        index = end
        // Before a type: `<A> Stack<A>`.
        if kept.isEmpty || kept.last == UInt8(ascii: " "), index < bytes.count, bytes[index] == UInt8(ascii: " ") {
          index += 1
        }
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The position after the closing bracket, if there are only placeholders.
  private static func end(of bytes: [UInt8], from open: Int) -> Int? {
    var index = open + 1
    // An operator of the same spelling is followed by where it stands.
    if index < bytes.count, bytes[index] == UInt8(ascii: ">") {
      let isOperator = bytes[(index + 1)...].starts(with: " infix".utf8)
      return isOperator ? nil : index + 1
    }
    while index < bytes.count, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index]) {
      index += 1
      while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
      guard index < bytes.count else { return nil }
      if bytes[index] == UInt8(ascii: ">") { return index + 1 }
      guard bytes[index...].starts(with: ", ".utf8) else { return nil }
      index += 2
    }
    return nil
  }
}

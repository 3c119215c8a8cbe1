import CrashReportModel
import Testing

@Suite struct JSONParserTests {
  private func parse(_ text: String) throws -> JSONParser.Outcome { try JSONParser.parse(Array(text.utf8)) }

  @Test func keepsOrderUnknownKeysAndTheTextOfNumbers() throws {
    let text = #"{"z":1,"a":[true,false,null,-0.50,1e99999,9007199254740993],"m":{"é\"\\\n":"\u001b"},"e":{},"f":[]}"#
    let outcome = try parse(text)
    #expect(outcome.cut == nil)
    #expect(JSONValue.object(outcome.object).text == text)
  }

  /// What a terminal might obey is written as an escape, and read as it was.
  @Test func controlCharactersAreEscaped() throws {
    let text = #"{"\u0080":"é\u009b31m\u007f\u009fÂ\u00a0"}"#
    let object = try parse(text).object
    #expect(object["\u{80}"] == .string("é\u{9b}31m\u{7f}\u{9f}Â\u{a0}"))
    #expect(JSONValue.object(object).text == text.replacing("\\u00a0", with: "\u{a0}"))
  }

  @Test func escapesDoNotDependOnThePlace() {
    for byte in UInt8(0)..<128 {
      let character = String(UnicodeScalar(byte))
      let escaped = JSONValue.string(character).text.dropFirst().dropLast()
      for place in 0..<20 {
        let (before, after) = (String(repeating: "a", count: place), String(repeating: "b", count: 19 - place))
        #expect(JSONValue.string(before + character + after).text == "\"\(before)\(escaped)\(after)\"")
      }
    }
  }

  @Test func resolvesEscapes() throws {
    let object = try parse(#"{"a":"\u0041\/\ud83d\ude00\ud800x\udc00\b\f\r\t"}"#).object
    #expect(object["a"] == .string("A/😀\u{FFFD}x\u{FFFD}\u{8}\u{c}\r\t"))
  }

  @Test func repairsBytesThatAreNotUTF8() throws {
    let object = try JSONParser.parse(Array(#"{"a":""#.utf8) + [0xFF, 0x41, 0xC3] + Array(#""}"#.utf8)).object
    #expect(object["a"] == .string("\u{FFFD}A\u{FFFD}"))
  }

  @Test func lastOfTwoEqualKeysCounts() throws {
    #expect(try parse(#"{"a":1,"a":2}"#).object["a"] == .number("2"))
  }

  @Test func stopsAtTheEndOfTheObject() throws {
    let outcome = try parse("  {\"a\":1} trailing {")
    #expect(outcome.end == 9)
    #expect(outcome.cut == nil)
  }

  @Test func aCutKeepsEverythingBeforeIt() throws {
    let text = #"{"a":[1,{"b":"x\u00e9y","c":[true,null]},-1.5e3],"d":{"e":false},"f":"end"}"#
    let bytes = Array(text.utf8)
    let whole = try parse(text).object
    var earlier = 0
    for count in 1..<bytes.count {
      let outcome = try JSONParser.parse(Array(bytes[..<count]))
      let cut = try #require(outcome.cut, "\(count) bytes")
      #expect(cut.isEndOfInput, "\(count) bytes")
      #expect(cut.offset <= count)
      #expect(outcome.object.isPrefix(of: whole), "\(count) bytes")
      let kept = outcome.object.leafCount
      #expect(kept >= earlier, "\(count) bytes")
      earlier = kept
    }
    #expect(earlier == whole.leafCount)
  }

  @Test func namesThePlaceOfTheCut() throws {
    let cut = try #require(try parse(#"{"threads":[{"frames":[1,2]},{"frames":[3,"#).cut)
    #expect(cut.path == "threads[1].frames[1]")
    #expect(cut.offset == 42)
  }

  @Test(arguments: [
    #"{"a":1 "b":2}"#, #"{"a":1,}"#, #"{"a":tru}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":+1}"#, #"{"a":"\x"}"#,
    "{\"a\":\"\n\"}", #"{"a":[1}"#, #"{"a":nan}"#, "{\"a\":1\u{0}\u{0}}",
  ])
  func damageIsNotTheEndOfTheInput(_ text: String) throws {
    let cut = try #require(try parse(text).cut)
    #expect(!cut.isEndOfInput)
    #expect(cut.offset < text.utf8.count)
  }

  @Test func refusesTextThatIsNotAnObject() {
    #expect(throws: JSONParser.Failure.notAnObject(offset: 0)) { try parse("[]") }
    #expect(throws: JSONParser.Failure.notAnObject(offset: 2)) { try parse("  ") }
    #expect(throws: JSONParser.Failure.notAnObject(offset: 0)) { try parse("") }
  }

  @Test func refusesDepthAndCountBeyondTheLimits() throws {
    let deep = #"{"a":"# + String(repeating: "[", count: 200_000)
    #expect(throws: JSONParser.Failure.tooDeep(offset: 132, limit: 128)) { try parse(deep) }
    let wide = Array("{\"a\":[1,2,3,4]}".utf8)
    #expect(throws: JSONParser.Failure.tooManyValues(offset: 12, limit: 4)) {
      try JSONParser.parse(wide, limits: .init(values: 4))
    }
    #expect(try JSONParser.parse(wide, limits: .init(values: 5)).cut == nil)
  }
}

extension JSONObject {
  /// Whether every value here stands at the same place there, arrays and objects possibly longer.
  fileprivate func isPrefix(of other: JSONObject) -> Bool {
    members.allSatisfy { member in other[member.key].map { member.value.isPrefix(of: $0) } ?? false }
  }

  fileprivate var leafCount: Int { members.reduce(0) { $0 + $1.value.leafCount } }
}

extension JSONValue {
  fileprivate func isPrefix(of other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let left), .object(let right)): left.isPrefix(of: right)
    case (.array(let left), .array(let right)):
      left.count <= right.count && zip(left, right).allSatisfy { $0.isPrefix(of: $1) }
    default: self == other
    }
  }

  fileprivate var leafCount: Int {
    switch self {
    case .object(let object): object.leafCount
    case .array(let elements): elements.reduce(0) { $0 + $1.leafCount }
    default: 1
    }
  }
}

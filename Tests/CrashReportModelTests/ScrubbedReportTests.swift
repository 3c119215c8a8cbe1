import CrashReportModel
import Foundation
import Testing

/// Reports with a value under each key that the JSON Schema knows, and what `--scrub` leaves of them.
@Suite struct ScrubbedReportTests {
  private static let canary = "canary5f1c77e90d2a6835ce1b"

  /// Secrets that no kind of field may keep.
  private static let anywhere = [
    "postgres://u:\(canary)@db/app", "ghp_\(canary)", "/home/\(canary)/api", "file:///Users/\(canary)",
    "https://hooks.slack.com/services/\(canary)", "-----BEGIN PRIVATE KEY-----\n\(canary)",
  ]
  /// Secrets of texts: in the name of a function, or in a path, `password:` is no key.
  private static let inTexts = [
    "password=\(canary)", "Authorization: Bearer \(canary)", "pass: \(canary)", "{\"token\":\"\(canary)\"}",
    "<password a=\"b\">\(canary)</password>", "API_KEY \(canary)", "password (\(canary))",
  ]
  /// Keys that hold names of functions, and paths.
  private static let names: Set = [
    "symbol", "function", "functions", "program", "file", "path", "foundPath", "searched", "image", "buildId",
    "foundBuildId", "unfinishedReport",
  ]
  /// Sections whose `name` is a file's, and whose `description` shows a function.
  private static let namesOfFiles: Set = ["image", "missingImage", "unverifiedImage", "frame", "test"]

  /// Makes reports by the schema.
  private struct Maker {
    let schema: JSONObject
    /// What stands at a place: its section in the schema, its key, and the value that the schema asks for.
    var value: (_ section: String, _ key: String, _ type: String) -> JSONValue
    private let most = 3

    private func object(_ value: JSONValue?) -> JSONObject? {
      guard case .object(let object) = value else { return nil }
      return object
    }

    private func text(_ value: JSONValue?) -> String? {
      guard case .string(let text) = value else { return nil }
      return text
    }

    func report() -> CrashReport { CrashReport(fields: self.object(section("", .object(schema), [:]))!) }

    /// A section may hold itself, as a task holds its parent: so deep and no deeper.
    private func section(_ name: String, _ type: JSONValue, _ depth: [String: Int]) -> JSONValue {
      guard let properties = object(object(type)?["properties"]) else { return value(name, "", "object") }
      var depth = depth
      depth[name, default: 0] += 1
      guard depth[name]! <= most else { return .object(JSONObject()) }
      return .object(
        JSONObject(
          members: properties.members.map { member in
            .init(key: member.key, value: made(name, member.key, member.value, depth))
          }))
    }

    private func made(_ section: String, _ key: String, _ type: JSONValue, _ depth: [String: Int]) -> JSONValue {
      let type = object(type) ?? JSONObject()
      if let name = text(type["$ref"])?.split(separator: "/").last.map(String.init) {
        let referred = object(schema["$defs"])![name]!
        let isSection = object(object(referred)?["properties"]) != nil
        return isSection ? self.section(name, referred, depth) : made(section, key, referred, depth)
      }
      if object(type["properties"]) != nil { return self.section("\(section).\(key)", .object(type), depth) }
      if let items = type["items"] { return .array((0..<2).map { _ in made(section, key, items, depth) }) }
      if let values = type["additionalProperties"], case .object = values {
        let members = ["a", "rip", "rbx"].map { name in
          JSONObject.Member(key: name, value: made(section, key, values, depth))
        }
        return .object(JSONObject(members: members))
      }
      return value(section, key, text(type["type"]) ?? "enum")
    }
  }

  private static func maker(_ value: @escaping (String, String, String) -> JSONValue) throws -> Maker {
    let text = try String(
      contentsOf: Fixture.tests.deletingLastPathComponent().appending(path: "Docs/report.schema.json"), encoding: .utf8)
    return Maker(schema: try JSONParser.parse(Array(text.utf8)).object, value: value)
  }

  private static func holdsName(_ section: String, _ key: String) -> Bool {
    names.contains(key) || (["name", "description"].contains(key) && namesOfFiles.contains(section))
  }

  private static func paths(_ value: JSONValue, _ path: String = "") -> [(path: String, text: String)] {
    switch value {
    case .object(let object):
      object.members.flatMap { [("\(path)/\($0.key)#", $0.key)] + paths($0.value, "\(path)/\($0.key)") }
    case .array(let elements): elements.flatMap { paths($0, path + "[]") }
    case .string(let text): [(path, text)]
    default: []
    }
  }

  private static func found(in report: CrashReport) -> Set<String> {
    Set(paths(report.json).filter { $0.text.contains(canary) }.map(\.path))
  }

  /// Every string of a report with every key, one kind of secret after the other.
  @Test(arguments: anywhere + inTexts) func noStringKeepsASecret(_ secret: String) throws {
    let isForAll = Self.anywhere.contains(secret)
    let report = try Self.maker { section, key, _ in
      .string(isForAll || !Self.holdsName(section, key) ? "got \(secret)" : "main")
    }.report()
    #expect(Self.found(in: report).count > 120, "the schema's strings")
    let scrubbed = report.scrubbed()
    #expect(Self.found(in: scrubbed) == [])
    #expect(Self.paths(scrubbed.json).count > 250, "what is left of them")
  }

  /// Values of other shapes, objects under keys of texts, keys that stand twice: a hostile report.
  @Test(arguments: 0..<200) func noShapeKeepsASecret(_ seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    func secret(_ isName: Bool) -> JSONValue {
      .string("x " + (isName ? Self.anywhere : Self.anywhere + Self.inTexts).randomElement(using: &generator)!)
    }
    func planted(_ value: JSONValue, _ isName: Bool, hasName: Bool = false) -> JSONValue {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        .object(
          JSONObject(members: [.init(key: "name", value: secret(hasName)), .init(key: "x", value: secret(false))]))
      case 1: .array([secret(isName), .object(JSONObject(members: [.init(key: "id", value: secret(false))]))])
      case 2: .number("7")
      default: secret(isName)
      }
    }
    var report = try Self.maker { section, key, _ in planted(.null, Self.holdsName(section, key)) }.report()
    let members = report.fields.members
    for member in members.shuffled(using: &generator).prefix(6) {
      let value = planted(member.value, false, hasName: Self.namesOfFiles.contains(member.key))
      let other = JSONObject.Member(key: member.key, value: value)
      report.fields.members.insert(other, at: Int.random(in: 0...report.fields.members.count, using: &generator))
    }
    #expect(!Self.found(in: report).isEmpty)
    #expect(Self.found(in: report.scrubbed()) == [])
  }

  private static let functions = [
    "Auth.password(for:)", "Auth.login(password: Swift.String, token: Token) -> Swift.Bool",
    "Token.Parser.token.getter",
    "operator==(Token const&, Token const&)", "init(password:salt:)", "closure #1 (pin: Int) in Auth.pass",
    "std::map<Password, Secret>::at(Password const&) const",
  ]
  private static let files = [
    "/srv/auth/password=hashing/Token.swift", "Sources/App/Password: Rules.swift",
    "/nix/store/abc-secret-1.2/lib/libpass.so",
  ]

  @Test func namesOfFunctionsAndPathsStay() throws {
    for name in Self.functions + Self.files {
      let report = try Self.maker { section, key, _ in
        .string(Self.holdsName(section, key) ? name : "x")
      }.report()
      let before = Self.paths(report.json).filter { $0.text == name }.map(\.path)
      let after = Self.paths(report.scrubbed().json).filter { $0.text == name }.map(\.path)
      #expect(before.count > 20 && before == after)
    }
  }

  /// A secret under a key that holds no text, as in `{"signal":{"name":{"password":"…"}}}`.
  @Test func nothingOfAnotherShapeIsKept() throws {
    let report = try JSONParser.parse(
      Array(
        #"{"message":{"a":"b"},"signal":{"name":["c"]},"threads":[7,{"name":{"d":"e"},"id":1}],"process":"f"}"#.utf8))
    #expect(
      CrashReport(fields: report.object).scrubbed().json.text == #"{"signal":{},"threads":[{"id":1}]}"#)
  }
}

/// Numbers by a rule, the same on each run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

import CrashReportModel
import Testing

@Suite struct HarmlessTextTests {
  /// By what they would do.
  static let hazards: [Unicode.Scalar] = [
    // A terminal obeys them.
    "\u{0}", "\u{7}", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{9D}",
    // They change the direction.
    "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    "\u{200E}", "\u{200F}", "\u{61C}",
    // They end the line.
    "\u{2028}", "\u{2029}",
    // Nobody sees them.
    "\u{AD}", "\u{200B}", "\u{200C}", "\u{2060}", "\u{2063}", "\u{FEFF}", "\u{180E}", "\u{3164}", "\u{E0041}",
  ]

  @Test(arguments: hazards) func hazardsAreShown(_ scalar: Unicode.Scalar) {
    let text = "a\(scalar)b"
    #expect(text.harmless.unicodeScalars.allSatisfy { !$0.isHazard })
    #expect(text.harmless.hasPrefix("a\\") && text.harmless.hasSuffix("b"))
    #expect(text.harmlessName == "a?b")
    #expect(text.harmless.harmless == text.harmless)
  }

  @Test(arguments: [
    "plain", "", "Grüße, 世界", "👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "שלום", "a : b", "std::vector<int>::at", "#[x]", "closure #1 in f",
    "# [x]",
    "##", "#a[0]", "x ::error::", "a:: b",
  ])
  func otherTextsAreLeft(_ text: String) {
    #expect(text.harmless == text)
    #expect(text.harmlessName == text)
  }

  @Test func formsOfHazards() {
    #expect("a\u{1B}[2J\nb\t\u{9B}\u{202E}".harmless == "a\\u{1B}[2J\\nb\\t\\u{9B}\\u{202E}")
    #expect(String(decoding: [0x61, 0xFF, 0x62], as: UTF8.self).harmless == "a\u{FFFD}b")
  }

  /// GitHub's runner takes `::` behind blanks only, and `##[` anywhere; Azure's `##vso[`, and TeamCity `##teamcity[`.
  @Test(arguments: [
    ("::error::x", "\\u{3A}:error::x", "?:error::x"), ("  ::add-mask::a", "  \\u{3A}:add-mask::a", "  ?:add-mask::a"),
    ("\u{A0}::set-output", "\u{A0}\\u{3A}:set-output", "\u{A0}?:set-output"),
    ("##[error]x", "##\\u{5B}error]x", "##?error]x"), ("a ###[group]", "a ###\\u{5B}group]", "a ###?group]"),
    ("##vso[task.complete]", "##vso\\u{5B}task.complete]", "##vso?task.complete]"),
    ("##teamcity[x]##[y", "##teamcity\\u{5B}x]##\\u{5B}y", "##teamcity?x]##?y"),
  ])
  func commandsOfServicesAreBroken(_ text: String, _ escaped: String, _ masked: String) {
    #expect(text.harmless == escaped)
    #expect(text.harmlessName == masked)
    #expect(escaped.harmless == escaped && masked.harmlessName == masked)
  }

  @Test func longTextsAreCut() {
    #expect(
      String(repeating: "a", count: 5000).harmless == String(repeating: "a", count: 2000) + "… (5000 characters)")
    #expect("::ab".harmless(upTo: 2) == "\\u{3A}:… (4 characters)")
    #expect(String(repeating: "a", count: 5000).harmlessName.count == 5000)
  }

  /// Nothing is lost, and no reader of a log obeys it.
  @Test func jsonEscapesHazards() throws {
    let text = String(String.UnicodeScalarView(Self.hazards)) + "##[error]\"\\é🧵##"
    let json = JSONValue.object(JSONObject(members: [.init(key: "a", value: .string(text))])).text
    #expect(json.unicodeScalars.allSatisfy { !$0.isHazard })
    #expect(!json.contains("##["))
    #expect(json.contains("\\u202e") && json.contains("\\udb40\\udc41") && json.contains("##\\u005berror]"))
    #expect(try JSONParser.parse(Array(json.utf8)).object["a"] == .string(text))
  }
}

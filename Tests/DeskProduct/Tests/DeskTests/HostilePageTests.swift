import CrashReportModel
import Foundation
import Testing

@testable import DeskServer
@testable import DeskStore

struct HostilePageTests {
  /// Texts that would be elements, templates, attributes or control characters if they reached a page as they are.
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "{{{body}}}{{> layout}}",
    "</textarea></title><svg onload=alert(1)>", "javascript:alert(1)", "\u{202E}\u{1B}[31m\u{0}", "&lt;b&gt;<b>",
  ]

  @Test(arguments: texts)
  func escapesHostileTexts(text: String) async throws {
    let test = try TestDesk()
    let answer = await test.send(
      reportText(function: text, version: text, message: text, host: text, attributes: [text: text, "b": text]))
    let other = await test.send(reportText(function: "other"))
    #expect(answer.status.code == 202 && other.status.code == 202)
    let fingerprint = try #require(answer.field("fingerprint"))
    #expect(try test.store.setState(.resolved(version: text), of: fingerprint, now: .now))
    #expect(try test.store.addNote(text, to: fingerprint, now: .now))
    let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let id = try #require(answer.field("id"))
    let paths = [
      "/?state=all&q=\(query)", "/?state=all", "/groups/\(fingerprint)", "/reports/\(id)",
      "/\(query)", "/?page=\(query)&state=\(query)",
    ]
    for path in paths {
      Self.expectHarmless(await test.answer("GET", path).text, path)
    }
  }

  /// In turn each value of a report is a text like these, or of another kind: its pages are shown, and run nothing.
  @Test func showsHostileReports() async throws {
    let test = try TestDesk()
    let texts = Self.texts.map(JSONValue.string)
    let others: [JSONValue] = [
      .null, .bool(true), .number("-9223372036854775808"), .number("1e308"), .array([.array([]), .null]),
      JSONObject().json,
    ]
    let report = try JSONParser.parse(Array(reportText(attributes: ["order": "7"]).utf8)).object.json
    let count = report.variants(with: .null).count
    let hostile = texts + others
    var shown = 0
    for round in 0..<2 {
      for place in 0..<count {
        // Each place gets others of them in each round.
        let variant = report.variants(with: hostile[(place + round * 5) % hostile.count])[place]
        let answer = await test.send(variant.text)
        guard [200, 202].contains(answer.status.code) else {
          #expect(answer.status.code == 422, "\(variant.text)")
          continue
        }
        let (id, group) = (try #require(answer.field("id")), try #require(answer.field("fingerprint")))
        for path in ["/reports/\(id)", "/groups/\(group)"] {
          let page = await test.answer("GET", path)
          #expect(page.status.code == 200, "\(variant.text)")
          Self.expectHarmless(page.text, variant.text)
        }
        shown += 1
      }
    }
    #expect(shown > count)
    Self.expectHarmless(await test.answer("GET", "/?state=all").text, "the inbox")
  }

  private static func expectHarmless(_ page: String, _ what: String) {
    let lower = page.lowercased()
    #expect(lower.components(separatedBy: "<script").count == 2, "\(what)")
    for tag in ["<script>", "<img", "<b>", "<svg onload", "\u{1B}", "\u{202E}", "\u{0}"] {
      #expect(!lower.contains(tag), "\(what): \(tag)")
    }
    #expect(attributes(page).isDisjoint(with: ["onerror", "onmouseover", "onload", "style"]), "\(what)")
    #expect(!lower.contains("href=\"javascript"), "\(what)")
    #expect(lower.components(separatedBy: "<title>").count == 2, "\(what)")
  }

  /// The names of all attributes of a page, as a browser reads them.
  private static func attributes(_ page: String) -> Set<String> {
    var names: Set<String> = []
    var rest = page[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      guard rest.first?.isLetter == true else { continue }
      var quote: Character?
      var word = ""
      while let character = rest.popFirst() {
        if let open = quote {
          if character == open { quote = nil }
        } else if character == "\"" || character == "'" {
          quote = character
        } else if character == ">" {
          break
        } else if character == "=" || character == " " || character == "\n" {
          names.insert(word.lowercased())
          word = ""
        } else {
          word.append(character)
        }
      }
    }
    return names
  }
}

extension JSONValue {
  /// The value with another one in place of each of its parts in turn.
  func variants(with other: JSONValue) -> [JSONValue] {
    switch self {
    case .object(let object):
      return [other]
        + object.members.indices.flatMap { index in
          object.members[index].value.variants(with: other).map { new in
            var object = object
            object.members[index].value = new
            return object.json
          }
        }
    case .array(let list):
      return [other]
        + list.indices.flatMap { index in
          list[index].variants(with: other).map { new in
            var list = list
            list[index] = new
            return list.json
          }
        }
    default: return [other]
    }
  }
}

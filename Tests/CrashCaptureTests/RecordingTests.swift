import CCrashCapture
import CProcessHooks
import CrashKit
import Foundation
import Testing

/// The Swift face, and the bounds. These tests share this process's ring, so each looks for its own category.
@Suite struct RecordingTests {
  private func own(_ category: String) throws -> [Crumb] {
    try #require(RegionContents.own()).crumbs.filter { $0.category == category }
  }

  private func attributes() throws -> [String: String] { try #require(RegionContents.own()).attributes }

  @Test func everyLengthComesBack() throws {
    let text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-*/()=?!$"
    let messages = (0...70).map { String(text.prefix($0)) }
    for message in messages { CrashKit.record(message, category: "lengths") }
    #expect(try own("lengths").map(\.message) == messages)
  }

  @Test func fieldsComeBack() throws {
    for level in CrashKit.Level.allCases { CrashKit.record("größer", category: "fields", level: level) }
    CrashKit.record("with", category: "fields", attributes: ["tenant": "blue", "apiKey": "canary", "empty": ""])
    let found = try own("fields")
    #expect(found.dropLast().map(\.level) == [0, 1, 2, 3, 4, 5, 6])
    #expect(found.dropLast().allSatisfy { $0.message == "größer" && $0.attributes.isEmpty && !$0.isCut })
    #expect(found.last?.attributes == ["tenant": "blue", "apiKey": "***", "empty": ""])
    #expect(found.last?.level == 2)
  }

  @Test func longTextIsCutAtACharacter() throws {
    // "ä" has two bytes, "€" three, "🦉" four: the bound falls into each of them at some place.
    for character in ["ä", "€", "🦉"] {
      for shift in 0..<4 {
        let message = String(repeating: "x", count: shift) + String(repeating: character, count: 1000)
        CrashKit.record(message, category: "cut")
        let kept = try #require(try own("cut").last)
        #expect(kept.isCut && kept.message.utf8.count <= 1024 && kept.message.utf8.count > 1016)
        #expect(kept.message.last == "…" && message.hasPrefix(kept.message.dropLast()))
      }
    }
    CrashKit.record(String(repeating: "y", count: 1024), category: "fits")
    #expect(try own("fits").last?.isCut == false)
    CrashKit.record("m", category: String(repeating: "k", count: 65))
    #expect(try own(String(repeating: "k", count: 61) + "…").count == 1)
  }

  @Test func attributesOfABreadcrumbAreBounded() throws {
    let many = Dictionary(uniqueKeysWithValues: (0..<40).map { ("key\($0)", "v") })
    CrashKit.record("many", category: "bounds", attributes: many)
    let long = String(repeating: "v", count: 300)
    CrashKit.record("long", category: "bounds", attributes: [String(repeating: "n", count: 80): long, "": "no key"])
    let found = try own("bounds")
    #expect(found[0].attributes.count == 16 && found[0].isCut)
    let key = String(repeating: "n", count: 61) + "…"
    #expect(found[1].attributes == [key: String(repeating: "v", count: 253) + "…"])
  }

  @Test func attributesAreSetReplacedAndRemoved() throws {
    #expect(CrashKit.setAttribute("swift.tenant", "blue"))
    #expect(try attributes()["swift.tenant"] == "blue")
    #expect(CrashKit.setAttribute("swift.tenant", ""))
    #expect(try attributes()["swift.tenant"] == "")
    #expect(CrashKit.setAttribute("swift.tenant", String(repeating: "ü", count: 400)))
    #expect(try attributes()["swift.tenant"] == String(repeating: "ü", count: 254) + "…")
    #expect(CrashKit.setAttribute("swift.token", "canary"))
    #expect(try attributes()["swift.token"] == "***")
    #expect(CrashKit.setAttribute("swift.tenant", nil) && CrashKit.setAttribute("swift.token", nil))
    #expect(try attributes()["swift.tenant"] == nil)
    #expect(!CrashKit.setAttribute("", "no key"))
  }

  @Test func metricsComeBack() throws {
    let load = CrashKit.registerMetric("swift.load", unit: "ratio")
    #expect(CrashKit.registerMetric("swift.load", unit: "other") == load)
    func read() throws -> cph_metric {
      let contents = try #require(RegionContents.own())
      return try #require(contents.metrics["swift.load"])
    }
    #expect(try read().has_value == false)
    load.update(.nan, state: .critical, threshold: 0.8)
    let first = try read()
    #expect(first.value.isNaN && first.has_threshold && first.threshold == 0.8 && first.state == CPH_METRIC_CRITICAL)
    load.update(0.25, state: .nominal)
    let second = try read()
    #expect(second.value == 0.25 && !second.has_threshold && second.state == CPH_METRIC_NOMINAL)
    #expect(second.updated_at >= first.updated_at)
    #expect(RegionContents.text(of: second.unit, Int(second.unit_length)) == "ratio")
  }
}

import CrashReportModel
import Testing

@testable import ReportSending

/// URLs, secrets, headers and `Retry-After`.
@Suite struct PlaceTests {
  @Test(arguments: [
    ("https://host/a?b=c#d", "https://host/a?b=c", nil), ("HTTP://user:p@host:80", "http://host:80", "user:p"),
    ("https://[::1]:9/x", "https://[::1]:9/x", nil),
  ])
  func urlsAreRead(_ text: String, _ without: String, _ user: String?) throws {
    let address = try #require(WebAddress(text))
    #expect(address.text == without)
    #expect(address.user == user)
  }

  @Test(arguments: [
    "", "host", "ftp://host/", "https://", "https:///a", "http://a b/", "http://a\r\nX: y/", "http://h\u{E9}/",
    "http://:80/",
  ])
  func otherTextsAreNotURLs(_ text: String) { #expect(WebAddress(text) == nil) }

  @Test func aSecretComesFromAFileOrAVariable() throws {
    let settings = DestinationSettings(variable: { $0 == "PLACE" ? " http://u:p@h/\n" : nil })
    #expect(try SecretPlace("env:PLACE").read(settings, "x") == "http://u:p@h/")
    #expect(try SecretPlace("http://u@h/").read(settings, "x") == "http://u@h/")
    for wrong in ["env:NONE", "file:/does/not/exist", "http://u:p@h/"] {
      #expect(throws: DestinationError.self) { try SecretPlace(wrong).read(settings, "x") }
    }
  }

  @Test func headersAreChecked() throws {
    func read(_ text: String) throws -> [HTTPRequest.Header] {
      try HeaderLines.read(.environment("H"), DestinationSettings(variable: { _ in text }))
    }
    #expect(try read("A: b\nC:d: e\n") == [.init("A", "b"), .init("C", "d: e")])
    for wrong in ["A b", ": x", "A\u{1}: b", "A: b\u{7F}", "Ä: b"] {
      #expect(throws: DestinationError.self) { try read(wrong) }
    }
    #expect(throws: DestinationError.self) { try HeaderLines.read(.plain("A: b"), .init()) }
  }

  @Test(
    arguments: [
      ("120", 120), ("1.5", 1.5), ("-3", 0), ("Fri, 27 Nov 2026 10:02:00 GMT", 120),
      ("Fri, 27 Nov 2026 09:00:00 GMT", 0),
      ("soon", nil), ("nan", nil), ("Fri, 27 Nox 2026 10:02:00 GMT", nil),
    ] as [(String, Double?)])
  func retryAfterIsRead(_ text: String, _ seconds: Double?) throws {
    let now = try #require(Timestamp("2026-11-27T10:00:00Z"))
    #expect(RetryAfter.seconds(text, now: now) == seconds)
  }

  @Test func usersBecomeAHeader() {
    #expect(BasicAuthorization.header("Aladdin:open%20sesame").value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }
}

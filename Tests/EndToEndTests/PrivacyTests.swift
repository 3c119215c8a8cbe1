import Foundation
import Testing

extension EndToEnd {
  /// A canary where secrets are: no report shows it that was not asked to, and no scrubbed copy at all.
  @Suite struct PrivacyTests {
    private static let canary = "canary4f1cb77e90d2a6835ce1"

    /// Lets the probe die with the canary and returns the report's path.
    private func die(_ how: String, says: Bool = false, options: String? = nil) throws -> (EndedProcess, String) {
      let process = try EndedProcess()
      let own: [String: String?] = ["CRASHKIT_OPTIONS": options, "CANARY": Self.canary]
      _ = try ProgramRun.run(
        [EndedProcess.program, "secret", how, Self.canary, says ? "says" : "silent"],
        environment: process.environment.merging(own) { $1 })
      if how == "kill" { try process.tell() }
      let paths = try process.folder.files(endingWith: ".json")
      try #require(paths.count == 1)
      return (process, paths[0])
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Eight bytes of it anywhere, as text or in hexadecimal, are too many.
    private func traces(in text: String) -> [String] {
      let bytes = Array(Self.canary.utf8)
      let parts = (0...(bytes.count - 8)).map { Array(bytes[$0..<($0 + 8)]) }
      let spellings = parts.flatMap { part in
        [
          String(decoding: part, as: UTF8.self), part.map { String(format: "%02x", $0) }.joined(),
          part.map { String(format: "%02x", $0) }.joined(separator: " "),
          part.reversed().map { String(format: "%02x", $0) }.joined(),
        ]
      }
      return spellings.filter(text.contains)
    }

    private func scrubbed(_ path: String, format: String) throws -> String {
      let run = try ProgramRun.run([Products.crashsym, "--scrub", "--all-breadcrumbs", "--format", format, path])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      return run.standardOutput
    }

    @Test(arguments: ["crash", "kill"]) func noDefaultReportHasASecret(_ how: String) throws {
      let (process, path) = try die(how)
      let report = try text(path)
      #expect(traces(in: report) == [])
      #expect(report.contains("logged in") && report.contains("***"))
      #expect(report.contains("postgres://***@db/app") && report.contains("https://host/?access_token=***&page=1"))
      let folder = try process.names()
      #expect(folder.count == 1, "\(folder)")
      for format in ["text", "json"] { #expect(traces(in: try scrubbed(path, format: format)) == []) }
    }

    /// Both were asked for, and hold credentials under names that say nothing of them.
    @Test func argumentsAndEnvironmentAreShownWithoutCredentials() throws {
      let script = "kill -SEGV $$"
      let secret = Self.canary
      let victim = try Victim(
        [
          Products.crashsym, "run", "--", "/bin/sh", "-c", script, "api", "--token", secret, "--password=\(secret) b",
          "redis://:\(secret)@cache", "-u", "u:\(secret)", "--key", secret, "--verbose",
        ],
        environment: [
          "CRASHKIT_OPTIONS": "arguments=yes,environment=yes", "DATABASE_URL": "postgres://u:\(secret)@db",
          "SENTRY_DSN": "https://\(secret)@o1.ingest.sentry.io/2", "SSHPASS": secret, "GITHUB_PAT": secret,
          "LDAP_BINDPW": secret, "STRIPE_SK": secret, "STRIPE_KEY": secret,
          "WIFI_PSK": secret, "APP_CREDS": secret, "SESSION": secret, "HMAC": secret, "PIN": secret, "SALT": secret,
          "JAVA_OPTS": "-Dx=1 -Dpassword=\(secret)", "SKU": "shown",
          "COMPAT": "shown",
        ])
      let path = try victim.reportPath()
      let report = try text(path)
      #expect(traces(in: report.replacing(script, with: "")) == [])
      #expect(
        report.contains(#""--token","***","--password=***","redis://***@cache","-u","***","--key","***","--verbose"]"#))
      #expect(report.contains(#""DATABASE_URL":"postgres://***@db""#))
      #expect(report.contains(#""SKU":"shown""#) && report.contains(#""COMPAT":"shown""#))
      #expect(report.contains(#""PATH":"/"#) && !report.contains(#""PATH":"***""#))
    }

    @Test func theMessageOfACrashHasNoCredentials() throws {
      // By default a report has the 16 bytes at each register: an optimised program may have one at the text.
      let (process, path) = try die("fatal", options: "registers=no")
      defer { withExtendedLifetime(process) {} }
      let report = try text(path)
      #expect(report.contains("cannot reach postgres://***@db"))
      #expect(traces(in: report) == [])
    }

    @Test func noScrubbedReportHasASecret() throws {
      for how in ["pointed", "kill"] {
        let (process, path) = try die(how, says: true, options: "arguments=yes,environment=yes")
        defer { withExtendedLifetime(process) {} }
        // What was asked for, what was said, and what a register points to.
        let report = try text(path)
        #expect(report.contains("the answer is \(Self.canary)") && report.contains("\"note\":\"\(Self.canary)\""))
        if how == "pointed" {
          let hexadecimal = Self.canary.utf8.prefix(16).map { String(format: "%02x", $0) }.joined()
          #expect(report.contains("\"CANARY\":\"\(Self.canary)\""))
          #expect(report.contains("\"\(Self.canary)\",\"says\"]"))
          #expect(report.contains(hexadecimal), "a register must point to it for this test to mean anything")
        }
        for format in ["text", "json"] {
          let copy = try scrubbed(path, format: format)
          #expect(traces(in: copy) == [], "\(how) \(format)")
          #expect(copy.contains("[scrubbed]"))
        }
      }
    }
  }
}

import CrashReportModel
import Foundation
import Synchronization
import Testing

@testable import CrashReportView

/// Where a recorded path lies on this machine, and whether its lines may be shown.
@Suite final class SourceFoldersTests {
  private let root: URL

  init() throws {
    let name = "sources-\(UUID().uuidString)"
    let temporary = try #require(
      realpath(FileManager.default.temporaryDirectory.path(), nil).map { String(cString: $0) })
    root = URL(filePath: temporary).appending(path: name)
    for file in [
      "repo/.git/HEAD", "repo/server/Sources/app/Main.swift", "repo/server/one.c", "other/Sources/app/Main.swift",
    ] {
      try write(file, lines: 9)
    }
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  private func write(_ name: String, lines: Int, mode: Int = 0o644) throws {
    let file = root.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let text = (1...lines).map { "line \($0) of \(name)\n" }.joined()
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path())
  }

  private func path(_ name: String) -> String { root.appending(path: name).path() }

  private func folders(_ working: String, _ arguments: String...) throws -> SourceFolders {
    try SourceFolders(workingDirectory: .at(path(working)), arguments: arguments)
  }

  /// The line that is shown for a verified location, or nil.
  private func line(_ folders: SourceFolders, _ recorded: String, shows: Bool = true) -> String? {
    var location = CrashReport.SourceLocation(fields: JSONObject())
    (location.file, location.line) = (recorded, 3)
    var verified = VerifiedReport(report: CrashReport())
    verified.locations.insert(file: recorded, line: 3)
    let excerpts = Excerpts(verified, .init(sources: folders, showsSource: shows))
    switch excerpts.answer(for: location) {
    case .lines(let excerpt, _, let recorded): return (recorded == nil ? "" : "guess: ") + excerpt.lines[2].text
    case .isPrivate: return "private"
    case nil: return nil
    }
  }

  // MARK: What may be shown

  @Test func onlyAllowedFoldersAreShown() throws {
    let here = try folders("repo/server")
    #expect(line(here, path("repo/server/one.c")) == "line 3 of repo/server/one.c")
    #expect(line(here, path("repo/server/../server/./one.c")) == "line 3 of repo/server/one.c")
    #expect(line(here, "one.c") == "line 3 of repo/server/one.c")
    #expect(line(here, path("repo/server/one.c"), shows: false) == nil)
    try write("other/two.c", lines: 9)
    for recorded in [path("other/two.c"), "../../other/two.c", "/etc/passwd", "/proc/self/status", ""] {
      #expect(line(here, recorded) == nil, "\(recorded)")
    }
    #expect(line(try folders("repo/server", path("other")), path("other/two.c")) == "line 3 of other/two.c")
    // Everything lies below the root of the file system.
    #expect(line(SourceFolders(workingDirectory: .at("/")), path("other/two.c")) == nil)
    #expect(line(SourceFolders(), path("other/two.c")) == nil)
  }

  @Test func aPrivateFileIsShownInANamedFolderOnly() throws {
    try write("repo/server/key.c", lines: 9, mode: 0o600)
    #expect(line(try folders("repo/server"), path("repo/server/key.c")) == "private")
    #expect(
      line(try folders("repo/server", path("repo/server")), path("repo/server/key.c")) == "line 3 of repo/server/key.c")
    #expect(line(try folders("repo", "/build=" + path("repo/server")), "/build/key.c") == "line 3 of repo/server/key.c")
  }

  /// Many people's homes are private, and so is what lies below: the folder that the user works in is no secret.
  @Test func aPrivateWorkingFolderIsTheUsersOwn() throws {
    try write("private/own/one.c", lines: 9)
    for folder in ["private", "private/own"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path(folder))
    }
    #expect(line(try folders("private/own"), path("private/own/one.c")) == "line 3 of private/own/one.c")
    // Seen from above, the private folder is one on the way.
    #expect(line(try folders("private"), path("private/own/one.c")) == "private")
  }

  @Test func aCopyForATicketHidesUsers() throws {
    for file in ["home/alice/repo/.git/HEAD", "home/alice/repo/app/one.c", "home/bob/lib/two.c"] {
      try write(file, lines: 9)
    }
    func folders(_ hides: Bool) throws -> SourceFolders {
      try SourceFolders(
        workingDirectory: .at(path("home/alice/repo/app")), arguments: [path("home/bob/lib")], hidesUsers: hides)
    }
    let here = try folders(true)
    let (alice, bob) = (path("home") + "/[user]/repo", path("home") + "/[user]/lib/two.c")
    #expect(here.publishedRoot == alice)
    #expect(here.published(path("home/bob/lib/two.c")).file == bob && here.shown("/ci/two.c") == bob)
    let sarif = SarifFile.text(of: [], version: "1", sources: here)
    #expect(sarif.contains("SRCROOT") && !sarif.contains("alice"))
    #expect(try folders(false).publishedRoot == path("home/alice/repo"))
  }

  @Test func missingAndVeryLongLinesAreNotShown() throws {
    let here = try folders("repo")
    try write("repo/short.c", lines: 2)
    #expect(line(here, path("repo/short.c")) == nil)
    #expect(truncate(path("repo/short.c"), 9 << 20) == 0)
    #expect(line(here, path("repo/short.c")) == nil)
  }

  @Test func theBytesReadForOneReportAreLimited() throws {
    try write("repo/large.c", lines: 9)
    #expect(truncate(path("repo/large.c"), 8 << 20) == 0)
    let recorded = path("repo/large.c")
    var location = CrashReport.SourceLocation(fields: JSONObject())
    (location.file, location.line) = (recorded, 3)
    var verified = VerifiedReport(report: CrashReport())
    verified.locations.insert(file: recorded, line: 3)
    let excerpts = Excerpts(verified, .init(sources: try folders("repo")))
    let shown = (0..<20).count { _ in excerpts.answer(for: location) != nil }
    #expect(shown == 8)
  }

  // MARK: Folders that are renamed meanwhile

  /// The folder that was allowed is shown, not what its path leads to by now.
  @Test(arguments: ["working", "repository", "named", "TO"]) func aFolderIsOpenedOnce(_ which: String) throws {
    try write("secret/server/one.c", lines: 9)
    let here: SourceFolders
    switch which {
    case "working": here = try folders("repo")
    case "repository": here = try folders("repo/server")
    case "named": here = try folders("other", path("repo"))
    default: here = try folders("other", "\(path("repo"))=\(path("repo"))")
    }
    let files = FileManager.default
    try files.moveItem(atPath: path("repo"), toPath: path("moved"))
    let recorded = path("repo/server/one.c")
    #expect(line(here, recorded) == "line 3 of repo/server/one.c")
    try files.createSymbolicLink(atPath: path("repo"), withDestinationPath: "secret")
    #expect(line(here, recorded) == "line 3 of repo/server/one.c")
    try files.removeItem(atPath: path("moved"))
    #expect(line(here, recorded) == nil)
  }

  /// Somebody who owns the folder's parent may exchange it all the time.
  @Test func noRaceLeadsOutOfTheFolder() throws {
    try write("secret/server/two.c", lines: 9)
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("secret/server"))
    try write("repo/server/two.c", lines: 9)
    let here = try folders("repo/server", "/ci=\(path("repo/server"))")
    let (one, link, aside) = (path("repo/server"), path("link"), path("aside"))
    let isDone = Mutex(false)
    let thread = Thread {
      while !isDone.withLock({ $0 }) {
        for (from, to) in [(one, aside), (link, one), (one, link), (aside, one)] { rename(from, to) }
      }
    }
    thread.start()
    defer { isDone.withLock { $0 = true } }
    let shown = (0..<3000).map { line(here, $0 % 2 == 0 ? "/ci/two.c" : one + "/two.c") }
    #expect(Set(shown) == ["line 3 of repo/server/two.c"])
  }

  /// The repository is looked for from the folder itself upwards, and must be the user's where it is found.
  @Test func theRepositoryIsAroundTheFolderItself() throws {
    try write("elsewhere/.git/HEAD", lines: 1)
    try write("elsewhere/two.c", lines: 9)
    let working = AllowedFolder.at(path("repo/server"))
    try FileManager.default.moveItem(atPath: path("repo"), toPath: path("moved"))
    try FileManager.default.moveItem(atPath: path("elsewhere"), toPath: path("repo"))
    let here = SourceFolders(workingDirectory: working)
    #expect(line(here, path("repo/two.c")) == nil)
    try write("moved/two.c", lines: 9)
    #expect(line(here, path("repo/two.c")) == "line 3 of moved/two.c")
  }

  // MARK: Sources that were built elsewhere

  @Test func aRuleSaysWhereSourcesLie() throws {
    let mapped = try folders("repo", "/ci=\(path("other"))", "/ci/app/=\(path("repo/server"))")
    #expect(line(mapped, "/ci/app/one.c") == "line 3 of repo/server/one.c")
    #expect(line(mapped, "/ci/Sources/app/Main.swift") == "line 3 of other/Sources/app/Main.swift")
    // A folder's name is compared whole.
    #expect(mapped.shown("/ci/application/x.c") == path("other/application/x.c"))
    #expect(mapped.shown("/cinema/x.c") == "/cinema/x.c")
    #expect(try folders("repo", "/=\(path("other"))").shown("/a/x.c") == path("other/a/x.c"))
    // The next rule counts if the file is not where the first says.
    #expect(mapped.shown("/ci/app/Sources/app/Main.swift") == "server/Sources/app/Main.swift")
  }

  @Test func theLongestCommonEndIsTaken() throws {
    try write("repo/server/app/Main.swift", lines: 9)
    let here = try folders("repo/server")
    let recorded = "/ci/work/Sources/app/Main.swift"
    #expect(here.shown(recorded) == "Sources/app/Main.swift")
    #expect(line(here, recorded) == "guess: line 3 of repo/server/Sources/app/Main.swift")
    #expect(here.shown("/ci/work/app/Main.swift") == "app/Main.swift")
    #expect(here.shown("/ci/work/None.swift") == "/ci/work/None.swift")
    // Below the repository's folder too.
    try FileManager.default.createDirectory(atPath: path("repo/empty"), withIntermediateDirectories: true)
    let empty = try folders("repo/empty")
    #expect(line(empty, "/ci/server/one.c") == "guess: line 3 of repo/server/one.c")
    #expect(empty.shown("/ci/server/one.c") == path("repo/server/one.c"))
    // And below a folder that is named.
    #expect(line(try folders("repo/empty", path("other")), recorded) == "guess: line 3 of other/Sources/app/Main.swift")
  }

  @Test func toolsGetPathsFromTheRepositorysFolder() throws {
    let here = try folders("repo/server", "/ci=\(path("repo/server"))")
    #expect(here.publishedRoot == path("repo"))
    for recorded in [path("repo/server/one.c"), "/ci/one.c", "/elsewhere/server/one.c"] {
      #expect(here.published(recorded).file == "server/one.c", "\(recorded)")
    }
    // What is mapped need not be there.
    #expect(here.published("/ci/gone.c").file == "server/gone.c")
    #expect(here.published("/usr/include/stdio.h").file == "/usr/include/stdio.h")
    #expect(here.published("/elsewhere/server/one.c", guesses: false).file == "/elsewhere/server/one.c")
    // Without a repository, from the working folder.
    #expect(try folders("other").published(path("other/Sources/app/Main.swift")).file == "Sources/app/Main.swift")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away")) func aRepositoryOfAnotherUserIsNotShown() throws
  {
    #expect(chown(path("repo/.git"), 12345, 12345) == 0)
    try write("repo/two.c", lines: 9)
    let inside = try folders("repo/server")
    #expect(line(inside, path("repo/two.c")) == nil)
    #expect(line(inside, path("repo/server/one.c")) == "line 3 of repo/server/one.c")
    #expect(inside.published(path("repo/server/one.c")).file == "server/one.c")
    #expect(line(try folders("repo"), path("repo/two.c")) == "line 3 of repo/two.c")
  }

  // MARK: Bad values

  @Test(arguments: [
    ("", "--source: it is empty; name a folder, or FROM=TO"),
    ("=/tmp", "--source =/tmp: FROM is empty; write FROM=TO, as in --source /build=."),
    ("/a=", "--source /a=: TO is empty; write FROM=TO, as in --source /build=."),
    ("/no such", "--source /no such: no such folder; name a folder of this machine"),
    ("/a=/no such", "--source /a=/no such: /no such: no such folder; name a folder of this machine"),
    ("/etc/passwd", "--source /etc/passwd: not a folder; name the folder that the file is in"),
  ])
  func badRulesSayWhatIsWrong(_ argument: String, _ text: String) throws {
    let mistake = #expect(throws: SourceRule.Mistake.self) { try SourceRule(argument, workingDirectory: nil) }
    #expect(mistake?.text == text)
  }
}

extension AllowedFolder {
  /// The folder with this path.
  static func at(_ path: String) -> AllowedFolder { AllowedFolder(path: path, opening: path)! }
}

import Foundation
import Testing

/// Where `crashsym` keeps indexes, and how it is told not to.
@Suite(.timeLimit(.minutes(30))) struct CacheTests {
  private let scratch: Scratch
  private let program: String

  init() throws {
    scratch = try Scratch()
    program = try scratch.compile("int main(void) { return 0; }", to: "program", "-g", "-Wl,--build-id")
  }

  /// Looks an address up, and gives the files below a folder afterwards.
  private func files(
    below folder: String, _ options: String..., environment: [String: String?]
  ) throws -> (files: [String], result: Command.Result) {
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let main = try #require(symbols.first { $0.last == "main" }.map { String($0[0]) })
    let own: [String: String?] = ["CRASHSYM_CACHE_LIMIT": nil, "XDG_CACHE_HOME": nil, "HOME": nil]
    let result = try Command.run(
      Command.crashsym, ["lookup"] + options + [program, main], environment: own.merging(environment) { $1 })
    #expect(result.status == 0)
    #expect(result.output.contains(" main at \(program).c:1"))
    let path = scratch.path(folder)
    return ((FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted(), result)
  }

  @Test func cacheHome() throws {
    let (files, _) = try files(
      below: "cache", environment: ["XDG_CACHE_HOME": scratch.path("cache"), "HOME": scratch.path("home")])
    #expect(files.count == 2)
    #expect(files.first == "crashsym")
    #expect(files.last?.hasSuffix(".index") == true)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("home")))
  }

  @Test(arguments: [nil, "", "relative"])
  func homeIfThereIsNoCacheHome(_ cache: String?) throws {
    let (files, _) = try files(
      below: "home", environment: ["XDG_CACHE_HOME": cache, "HOME": scratch.path("home")])
    #expect(files.prefix(2) == [".cache", ".cache/crashsym"])
    #expect(files.count == 3)
  }

  @Test func noCache() throws {
    let environment = ["XDG_CACHE_HOME": scratch.path("cache")]
    #expect(try files(below: "cache", "--no-cache", environment: environment).files.isEmpty)
    let off = environment.merging(["CRASHSYM_CACHE_LIMIT": "0"]) { $1 }
    #expect(try files(below: "cache", environment: off).files.isEmpty)
    #expect(try files(below: "cache", environment: environment).files.count == 2)
  }

  @Test func limitThatIsNoNumber() throws {
    let (files, result) = try files(
      below: "cache", environment: ["XDG_CACHE_HOME": scratch.path("cache"), "CRASHSYM_CACHE_LIMIT": "many"])
    #expect(files.count == 2)
    #expect(result.errors == "crashsym: CRASHSYM_CACHE_LIMIT is not a number of MiB: many\n")
  }

  @Test func theErrorIsPrintedOnce() throws {
    let report = #"{"schema":"crashkit/1","kind":"crashReport","threads":[]}"#
    for command in ["show", "group", "stream"] {
      let result = try Command.run(
        Command.crashsym, command == "stream" ? [command] : [command, "-"],
        environment: ["CRASHSYM_CACHE_LIMIT": "many", "XDG_CACHE_HOME": scratch.path("cache")], input: report)
      #expect(result.status == 0)
      #expect(result.errors == "crashsym: CRASHSYM_CACHE_LIMIT is not a number of MiB: many\n", "\(command)")
    }
  }

  @Test func anUnusableCacheFolderIsNotAnError() throws {
    #expect(try files(below: "", environment: [:]).result.errors.isEmpty)
    #expect(try files(below: "", environment: ["XDG_CACHE_HOME": "/proc"]).result.errors.isEmpty)
  }
}

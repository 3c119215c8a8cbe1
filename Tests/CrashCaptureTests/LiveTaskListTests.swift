import Testing

/// What `CrashKit.tasks()` and captures say of the Swift tasks of a program that goes on.
@Suite struct LiveTaskListTests {
  @Test func eachTaskIsDescribed() throws {
    let (end, output) = try LiveProbe().run("tasks-probe", ["list"])
    #expect(end == .exit(0))
    let looks = output.split(separator: "omitted 0, complete\n", omittingEmptySubsequences: false).map {
      Set($0.split(separator: "\n").map(String.init))
    }
    try #require(looks.count == 3, "\(output)")
    let described: Set = [
      "cancelled, suspended, 21, cancelled, none, continuation, frames",
      "child, suspended, 21, wanted, parent, continuation, frames",
      "moves, suspended, 21, wanted, none, continuation, frames",
      "parent, suspended, 21, wanted, none, group, frames",
      "stays, suspended, 9, wanted, none, continuation, frames",
    ]
    #expect(Set(looks[0].map { $0.replacing(/, (new|unmoved)$/, with: "") }) == described)
    #expect(looks[1] == Set(described.map { $0 + ($0.hasPrefix("moves") ? ", new" : ", unmoved") }))
  }

  @Test func thereIsNoListBeforeTheInstallation() throws {
    let (end, output) = try LiveProbe().run("tasks-probe", ["nothing"])
    #expect(end == .exit(0))
    #expect(output == "CrashKit is not installed\n")
  }

  @Test(arguments: [("list", 120), ("capture", 24)])
  func noListHasATaskThatDoesNotExist(_ how: String, _ count: Int) throws {
    let (end, output) = try LiveProbe().run("tasks-probe", ["churn", String(count), how])
    #expect(end == .exit(0), "\(output)")
    let seen = try #require(output.firstMatch(of: /seen ([0-9]+) unknown 0 missing 0/), "\(output)")
    // Else nothing came and went while it looked.
    #expect(try #require(Int(seen.1)) > 0)
  }
}

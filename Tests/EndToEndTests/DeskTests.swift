import Testing

extension EndToEnd {
  /// What `crashsym` says if it was built without the desk; the desk's own tests are in Tests/DeskProduct.
  @Suite struct DeskTests {
    @Test func saysHowToBuildIt() throws {
      let run = try ProgramRun.run([Products.crashsym, "desk"])
      #expect(run.end == .exited(69))
      #expect(run.standardOutput.isEmpty)
      #expect(run.standardError.hasPrefix("crashsym: desk: ") && run.standardError.contains("--traits Desk"))
      #expect(run.standardError.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["8017", "127.0.0.1:x", ":8017", "::1:8017", "127.0.0.1:65536"])
    func wantsAnAddress(text: String) throws {
      let run = try ProgramRun.run([Products.crashsym, "desk", "--listen", text])
      #expect(run.end == .exited(64))
      #expect(run.standardError.contains("--listen must be HOST:PORT"))
    }
  }
}

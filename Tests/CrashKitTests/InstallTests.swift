import CrashKit
import Testing

@Test func installTwice() throws {
  let first = try CrashKit.install()
  #expect(first.isEnabled)
}

import Testing

@testable import CrashKit

@Test func version() { #expect(CrashKit.version == 1) }

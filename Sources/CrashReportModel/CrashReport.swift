/// A crash report.
public struct CrashReport: Codable, Sendable {}

import Foundation

/// Sixteen threads that crash at once, with one way to report it.
struct SharedCrashTimes {
  static let threads = 16
  /// A victim that takes longer has hung.
  static let patience: Int32 = 20

  let name: String
  let crashKit: Bool
  let finish: FolderWatch.Finish
  /// Of the folder that the report goes to.
  let environment: @Sendable (String) -> [String: String]

  var reports = Samples()
  var deaths = Samples()
  var rounds = 0
  var hung = 0
  var unreported = 0

  init(
    _ name: String, crashKit: Bool, finish: FolderWatch.Finish,
    environment: @escaping @Sendable (String) -> [String: String]
  ) {
    self.name = name
    self.crashKit = crashKit
    self.finish = finish
    self.environment = environment
  }

  /// CrashKit, and the runtime's own backtracer with and without its symbolication.
  static var contenders: [SharedCrashTimes] {
    let runtime = "enable=yes,format=json,threads=all,interactive=no,color=no"
    return [
      SharedCrashTimes("CrashKit", crashKit: true, finish: .renamed) { ["CRASHKIT_DIRECTORY": $0] },
      SharedCrashTimes("Swift runtime, no symbols", crashKit: false, finish: .closed) {
        ["SWIFT_BACKTRACE": "\(runtime),symbolicate=off,output-to=\($0)/log.json"]
      },
      SharedCrashTimes("Swift runtime", crashKit: false, finish: .closed) {
        ["SWIFT_BACKTRACE": "\(runtime),output-to=\($0)/log.json"]
      },
    ]
  }

  mutating func measure(_ programs: Programs) throws {
    let death = try withFolder { folder in
      try programs.sharedDeath(
        threads: Self.threads, crashKit: crashKit, environment: environment(folder.path), folder: folder, until: finish,
        seconds: Self.patience)
    }
    rounds += 1
    if let report = death.report { reports.append(report) } else { unreported += 1 }
    if let death = death.death { deaths.append(death) } else { hung += 1 }
  }

  var row: String {
    "| \(name) | \(reports.milliseconds) | \(deaths.milliseconds) | \(unreported) of \(rounds) | \(hung) of \(rounds) |"
  }
}

import Foundation

/// From the signal to the finished file, for one number of threads.
struct CaptureTimes {
  let threads: Int
  var bare = Samples()
  var crashKit = Samples()
  var runtime = Samples()
  var runtimeWithoutSymbols = Samples()
  var crashKitBytes = 0
  var runtimeBytes = 0

  /// One round of every contender, one after the other, so that a busy moment of the machine meets all.
  mutating func measure(_ programs: Programs, withRuntime: Bool) throws {
    bare.append(try programs.number("bare-unwind", ["\(threads)", "40"]))

    guard let ours = try death(programs, crashKit: true, finish: .renamed, environment: { ["CRASHKIT_DIRECTORY": $0] })
    else { throw Programs.Failure(description: "\(threads) threads: no report") }
    crashKit.append(ours.microseconds)
    crashKitBytes = ours.reportBytes
    if withRuntime { try measureRuntime(programs) }
  }

  /// The runtime's own backtracer, with and without its symbolication; ours is done later, elsewhere. Where it does not
  /// end in time there is no sample.
  private mutating func measureRuntime(_ programs: Programs) throws {
    let common = "enable=yes,format=json,threads=all,interactive=no,color=no"
    let full = try death(programs, crashKit: false, finish: .closed) {
      ["SWIFT_BACKTRACE": "\(common),output-to=\($0)/log.json"]
    }
    let withoutSymbols = try death(programs, crashKit: false, finish: .closed) {
      ["SWIFT_BACKTRACE": "\(common),symbolicate=off,output-to=\($0)/log.json"]
    }
    if let full {
      runtime.append(full.microseconds)
      runtimeBytes = full.reportBytes
    }
    if let withoutSymbols { runtimeWithoutSymbols.append(withoutSymbols.microseconds) }
  }

  private func death(
    _ programs: Programs, crashKit: Bool, finish: FolderWatch.Finish, environment: (String) -> [String: String]
  ) throws -> Programs.Death? {
    try withFolder { folder in
      try programs.death(
        threads: threads, crashKit: crashKit, environment: environment(folder.path), folder: folder, until: finish)
    }
  }
}

/// A folder for the reports of one measurement.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "capture-benchmark-\(UUID().uuidString)")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

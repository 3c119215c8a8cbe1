/// What is to be installed: the unwinder, debug files, the Swift runtime's own backtracer.
struct LibraryChecks {
  let machine: Machine

  var findings: [Finding] {
    [unwinder, crashKitOptions] + threadGuardOptions + [runtimeBacktracer, debugFolder] + symbolFolders + [servers]
  }

  #if arch(arm64)
    static let unwinderName = "libunwind-aarch64.so.8"
  #else
    static let unwinderName = "libunwind-x86_64.so.8"
  #endif

  private var unwinder: Finding {
    let subject = "libunwind"
    guard machine.opensLibrary(Self.unwinderName) else {
      return .problem(
        subject, "\(Self.unwinderName) cannot be opened",
        "CrashKit follows only frame pointers: the stacks of threads that wait inside libc are short",
        "apt-get install libunwind8")
    }
    return .ok(subject, "\(Self.unwinderName) is there", "stacks are unwound by call-frame information")
  }

  private var crashKitOptions: Finding {
    let subject = "CRASHKIT_OPTIONS"
    guard let options = machine.variable(subject) else { return .ok(subject, "not set", "the defaults apply") }
    let parts = options.split(separator: ",").map { String($0.trimmingBlanks) }
    if parts.last(where: { $0.hasPrefix("enable=") }) == "enable=no" {
      return .problem(
        subject, options, "CrashKit is switched off: there are no reports", "remove enable=no from CRASHKIT_OPTIONS")
    }
    return OptionChecks.finding(subject, options, OptionChecks.crashKit) ?? askingSignal(in: options)
      ?? .ok(subject, options, "overrides the program's own configuration")
  }

  /// What a signal does to programs that would have died of it.
  private func askingSignal(in options: String) -> Finding? {
    guard let signal = Self.values(options)["on-signal"] else { return nil }
    return .ok(
      "CRASHKIT_OPTIONS", options,
      "on-signal=\(signal): this signal from another process or a terminal prints all threads and Swift tasks on "
        + "standard error; the program continues, and its own handler runs after that")
  }

  /// None if it is not set: few machines have ThreadGuard.
  private var threadGuardOptions: [Finding] {
    let subject = "THREADGUARD_OPTIONS"
    guard let options = machine.variable(subject) else { return [] }
    let finding = OptionChecks.finding(subject, options, OptionChecks.threadGuard)
    return [finding ?? .ok(subject, options, "overrides the program's own configuration")]
  }

  /// Swift's docs/Backtracing.rst.
  private var runtimeBacktracer: Finding {
    let subject = "SWIFT_BACKTRACE"
    guard let options = machine.variable(subject) else {
      return .ok(subject, "not set", "if CrashKit is installed, only CrashKit writes reports")
    }
    let values = Self.values(options)
    guard let enabled = values["enable"], !OptionChecks.isNo(enabled) else {
      return .ok(subject, options, "SWIFT_BACKTRACE does not turn the runtime's backtracer on")
    }
    let candidates = [values["swift-backtrace"]].compactMap { $0 } + helperPaths
    guard let helper = candidates.first(where: machine.exists) else {
      return .problem(
        subject, options, "the runtime's backtracer is turned on, but its helper swift-backtrace is missing",
        "set its path with swift-backtrace=PATH, or remove enable=\(enabled)")
    }
    let chain = machine.variable("CRASHKIT_OPTIONS").flatMap { Self.values($0)["chain"] } ?? "auto"
    if OptionChecks.isNo(chain) {
      return .ok(
        subject, options, "the runtime's backtracer (\(helper)) never runs after CrashKit: chain=\(chain) is set")
    }
    guard chain != "auto" else {
      return .ok(
        subject, options,
        "the runtime's backtracer (\(helper)) runs only if CrashKit cannot finish its report; "
          + "CRASHKIT_OPTIONS=chain=yes runs it after each report")
    }
    return .note(
      subject, options,
      "the runtime's backtracer (\(helper)) runs after each report of CrashKit, and programs take longer to die",
      "remove chain=\(chain) from CRASHKIT_OPTIONS, unless you want the output of both")
  }

  /// The last value of each key.
  private static func values(_ options: String) -> [String: String] {
    options.split(separator: ",").reduce(into: [:]) { values, part in
      let pair = part.split(separator: "=", maxSplits: 1).map { String($0.trimmingBlanks) }
      if pair.count == 2 { values[pair[0]] = pair[1] }
    }
  }

  /// Beside the compiler.
  private var helperPaths: [String] {
    let folders = (machine.variable("PATH") ?? "").split(separator: ":").map(String.init)
    let roots =
      [machine.variable("SWIFT_ROOT")].compactMap { $0 }
      + folders.filter { $0.hasSuffix("/bin") }.map { String($0.dropLast(4)) }
    return roots.flatMap {
      ["\($0)/libexec/swift/linux/swift-backtrace", "\($0)/libexec/swift/linux/swift-backtrace-static"]
    }
  }

  private var debugFolder: Finding {
    let subject = "debug folder"
    guard machine.isFolder("/usr/lib/debug/.build-id") else {
      return .note(
        subject, "/usr/lib/debug/.build-id is not there",
        "functions of system libraries have no lines, and some have no names",
        "apt-get install libc6-dbg, or set DEBUGINFOD_URLS")
    }
    return .ok(subject, "/usr/lib/debug/.build-id is there", "debug files of system libraries are searched there")
  }

  private var symbolFolders: [Finding] {
    let subject = "CRASHSYM_SYMBOLS"
    guard let list = machine.variable(subject) else {
      return [.ok(subject, "not set", "crashsym looks for files at the paths in reports, and in the debug folder")]
    }
    return list.split(separator: ":").map(String.init).map { folder in
      guard machine.isFolder(folder) else {
        return .problem(
          subject, "\(folder) is not a folder", "no symbols are found there", "make it, or remove it from the list")
      }
      return .ok(subject, "\(folder) is there", "crashsym searches it for debug information")
    }
  }

  /// Whether any of them answers is another matter, and asked only on request.
  private var servers: Finding {
    let subject = "DEBUGINFOD_URLS"
    guard machine.variable(subject) != nil else {
      return .ok(subject, "not set", "no server is asked for debug information")
    }
    guard machine.opensLibrary("libdebuginfod.so.1") else {
      return .problem(
        subject, "set, but libdebuginfod.so.1 cannot be opened", "no server is asked for debug information",
        "apt-get install libdebuginfod1")
    }
    let places = ["DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME"]
    guard places.contains(where: { machine.variable($0) != nil }) else {
      return .problem(
        subject, "set, but there is no folder for the cache", "no server is asked for debug information",
        "set HOME or DEBUGINFOD_CACHE_PATH")
    }
    return .ok(
      subject, "set, and libdebuginfod.so.1 is there", "servers are asked for files that are found nowhere else")
  }
}

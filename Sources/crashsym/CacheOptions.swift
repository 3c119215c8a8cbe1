import ArgumentParser
import Glibc
import LinuxCalls
import Symbolication

/// Where indexes of debug information are kept: the option of every command that needs some.
struct CacheOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-cache"),
    help: """
      Neither read nor write indexes of debug information. crashsym keeps them in XDG_CACHE_HOME/crashsym or \
      ~/.cache/crashsym, at most CRASHSYM_CACHE_LIMIT MiB in all (by default 1024; 0 means --no-cache).
      """)
  var isOff = false

  private static let defaultLimit: UInt64 = 1_024

  /// The user's folder of indexes; nil if the user wants no indexes, or if no variable names the folder.
  var index: IndexOptions? {
    guard !isOff, let directory = Self.directory else { return nil }
    return Self.mebibytes == 0 ? nil : IndexOptions(directory: directory, sizeLimit: Self.mebibytes << 20)
  }

  /// Read once: commands ask for their options several times, and one complaint is enough.
  private static let mebibytes: UInt64 = {
    guard let text = variable("CRASHSYM_CACHE_LIMIT") else { return defaultLimit }
    guard let number = UInt64(text) else {
      Output.complain("CRASHSYM_CACHE_LIMIT is not a number of MiB", text)
      return defaultLimit
    }
    return min(number, .max >> 20)
  }()

  /// As the XDG base directory specification has it: a path that is not absolute counts for nothing.
  private static var directory: String? {
    if let cache = variable("XDG_CACHE_HOME"), cache.hasPrefix("/") { return cache + "/crashsym" }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    return (home == "/" ? "" : home) + "/.cache/crashsym"
  }

  private static func variable(_ name: String) -> String? {
    LinuxCalls.environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}

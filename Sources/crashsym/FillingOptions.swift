import ArgumentParser
import Symbolication

/// The options of every command that fills in the frames of reports.
struct FillingOptions: ParsableArguments {
  @Flag(help: "Show full Swift and C++ names instead of simplified ones.")
  var fullNames = false

  @Flag(
    help: """
      Leave out private data for a ticket: arguments, memory, registers, texts and values. The program's last message \
      stays.
      """)
  var scrub = false
}

/// A command that fills in the frames of reports.
///
/// No group of options contains another one: in a debug build, ArgumentParser checks a group five times for each group
/// around it.
protocol FillingCommand: ParsableCommand {
  var symbolFolders: SymbolFolderOptions { get }
  var cache: CacheOptions { get }
  var filling: FillingOptions { get }
}

extension FillingCommand {
  /// Where files are searched, and how functions are named.
  var symbolicationOptions: SymbolicationOptions {
    symbolFolders.symbolicationOptions(fullNames: filling.fullNames, cache: cache)
  }

  /// A symbolicator with these options.
  var symbolicator: Symbolicator { symbolFolders.symbolicator(fullNames: filling.fullNames, cache: cache) }
}

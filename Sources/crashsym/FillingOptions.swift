import ArgumentParser
import Symbolication

/// The options of every command that fills in the frames of reports.
struct FillingOptions: ParsableArguments {
  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions

  @Flag(help: "Show full Swift names instead of simplified ones.")
  var fullNames = false

  @Flag(
    help: """
      Leave out private data for a ticket: arguments, memory, registers, texts and values. The program's last message \
      stays.
      """)
  var scrub = false

  /// Where files are searched, and how functions are named.
  var symbolicationOptions: SymbolicationOptions {
    symbolFolders.symbolicationOptions(fullNames: fullNames, cache: cache)
  }

  /// A symbolicator with these options.
  var symbolicator: Symbolicator { symbolFolders.symbolicator(fullNames: fullNames, cache: cache) }
}

import ArgumentParser
import Symbolication

/// The options of every command that fills in the frames of reports.
struct FillingOptions: ParsableArguments {
  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions

  @Flag(help: "Show Swift names in full rather than simplified.")
  var fullNames = false

  @Flag(
    help: """
      Leave out what should not go into a ticket: arguments, memory, registers, texts and values. What the program said \
      as it died stays.
      """)
  var scrub = false

  /// Where files are searched, and how functions are named.
  var symbolicationOptions: SymbolicationOptions {
    symbolFolders.symbolicationOptions(fullNames: fullNames, cache: cache)
  }

  /// A symbolicator with these options.
  var symbolicator: Symbolicator { symbolFolders.symbolicator(fullNames: fullNames, cache: cache) }
}

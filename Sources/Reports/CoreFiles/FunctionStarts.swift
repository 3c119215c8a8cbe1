import Symbolication

/// Where the functions of a core's binaries begin, by their symbols.
final class FunctionStarts {
  private let modules: CoreModules
  private let symbolicator: Symbolicator

  /// Looks where images are looked for, and asks no server.
  init(_ modules: CoreModules, _ options: SymbolicationOptions) {
    self.modules = modules
    var options = options
    options.debuginfod = nil
    options.index = nil
    options.classifiesFunctions = false
    symbolicator = Symbolicator(options: options)
  }

  /// Whether two addresses are of one function. Without symbols, those of one image may be, and count as such.
  func areOfOneFunction(_ one: UInt64, _ other: UInt64) -> Bool {
    guard let image = modules.image(at: one), image.base == modules.image(at: other)?.base else { return false }
    guard let first = start(of: one, in: image), let second = start(of: other, in: image) else { return true }
    return first == second
  }

  private func start(of address: UInt64, in image: CoreImage) -> UInt64? {
    symbolicator.symbolicate([(address, .programCounter)], in: image.reference).lookups.first?.calls.last?.start
  }
}

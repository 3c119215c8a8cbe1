import Synchronization

/// The symbol tables of one image in order: whichever reader needs one first puts it in order for all. No two tables
/// of an image have sections of one name.
final class SymbolOrders: Sendable {
  private let tables = Mutex<[String: [SymbolTable.Symbol]]>([:])

  /// The symbols of a section in order.
  ///
  /// - Parameter order: Puts them in order, if no reader has done so.
  func symbols(of section: String, _ order: () -> [SymbolTable.Symbol]) -> [SymbolTable.Symbol] {
    tables.withLock { tables in
      if let known = tables[section] { return known }
      let ordered = order()
      tables[section] = ordered
      return ordered
    }
  }
}

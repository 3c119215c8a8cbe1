import ThreadGuard

/// How the rows of a screen are laid out. For the main queue only, as views are.
final class ScreenLayout: @unchecked Sendable {
  struct Geometry: Sendable, Equatable {
    var rows: Int
    var rowHeight: Double
    var isCollapsed = false

    var height: Double { isCollapsed ? 0 : Double(rows) * rowHeight }
  }

  @ThreadGuard.OnMainQueue private(set) var geometry: Geometry

  init(rows: Int, rowHeight: Double = 44) { geometry = Geometry(rows: rows, rowHeight: rowHeight) }

  /// Gives up what an invisible screen does not need.
  func collapse() { geometry.isCollapsed = true }

  /// Lays the rows out anew.
  func expand(rows: Int) { geometry = Geometry(rows: max(0, rows), rowHeight: geometry.rowHeight) }
}

import CLibdw

/// The variables of a function and of what was inlined into it, with the code in which each is one.
struct FunctionScopes {
  private struct Scope {
    /// Negative for the function.
    var parent: Int
    var depth: Int
    var ranges: [Range<UInt64>]
  }

  let function: Entry
  /// The function's code; the first begins where it is entered.
  let ranges: [Range<UInt64>]
  private var scopes: [Scope] = []
  private var variables: [(entry: Entry, scope: Int)] = []

  init?(_ function: Entry, _ budget: EntryBudget) {
    self.function = function
    ranges = Self.ranges(of: function, atMost: 1_024)
    guard !ranges.isEmpty else { return nil }
    var left = Limits.scopeRanges
    var (scopes, variables) = ([Scope(parent: -1, depth: 0, ranges: ranges)], [(Entry, Int)]())
    // The scope around the entries at each depth.
    var around = [0]
    function.forEachDescendant(budget) { entry, depth in
      around.removeLast(around.count - depth - 1)
      switch entry.tag {
      case DW_TAG_variable, DW_TAG_formal_parameter:
        variables.append((entry, around[depth]))
        return false
      case DW_TAG_lexical_block, DW_TAG_inlined_subroutine, DW_TAG_try_block, DW_TAG_catch_block:
        scopes.append(Scope(parent: around[depth], depth: depth + 1, ranges: Self.ranges(of: entry, atMost: left)))
        left -= scopes[scopes.count - 1].ranges.count
        around.append(scopes.count - 1)
        return true
      default: return false
      }
    }
    self.scopes = scopes
    self.variables = variables
  }

  /// The variables that there are at an address, those of the innermost scope first.
  func variables(at address: UInt64) -> [Entry] {
    let holding = scopes.map { scope in scope.ranges.contains { $0.contains(address) } }
    return variables.filter { holding[$0.scope] }
      .enumerated().sorted { left, right in
        let (outer, inner) = (scopes[left.element.scope].depth, scopes[right.element.scope].depth)
        return outer != inner ? outer > inner : left.offset < right.offset
      }.map(\.element.entry)
  }

  private static func ranges(of entry: Entry, atMost limit: Int) -> [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    entry.unit.forEachRange(list: entry.ranges, low: entry.low, high: entry.high) { low, high in
      if ranges.count < limit { ranges.append(low..<high) }
    }
    return ranges
  }
}

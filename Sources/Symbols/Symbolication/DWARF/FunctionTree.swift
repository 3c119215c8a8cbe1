import CLibdw

/// The functions and inlined calls of one unit that have code, and which of them is the innermost at an address.
final class FunctionTree {
  struct Node {
    /// Offset of the entry in `.debug_info`, or what an index has in its place.
    var entry: UInt64
    /// What an inlined call is a copy of.
    var origin: FormValue
    /// The function or inlined call around it; negative for a function.
    var parent: Int32
    /// The function around it, itself for a function.
    var root: Int32
    var callFile: UInt32 = 0
    var callLine: UInt32 = 0
    var callColumn: UInt32 = 0
    /// Whether its code is a list of ranges rather than one.
    var isInParts = false
    /// Lowest address.
    var low: UInt64 = 0

    var isInlined: Bool { parent >= 0 }
  }

  /// What knows the nodes' names: the unit whose entries they are, the split half if there is one, or an index. It
  /// outlives the tree.
  unowned let describer: any FunctionDescriber
  let nodes: [Node]
  /// Innermost node by address.
  let leaves: IntervalMap
  /// Where the functions of nodes are declared, as far as it was asked for.
  var declarations: [Int: Declaration?] = [:]

  /// The file that was read, and how many ranges of it.
  private unowned let file: DWARFFile?
  private let rangesRead: Int

  init(of unit: Unit) {
    describer = unit
    file = unit.file
    let budget = unit.file.rangeBudget
    var reader = FunctionReader(unit)
    reader.read()
    unit.file.functionBudget -= reader.nodes.count
    nodes = reader.nodes.fitted
    leaves = IntervalMap(painting: reader.takeRanges())
    rangesRead = budget - unit.file.rangeBudget
  }

  /// Takes what was decoded before.
  init(nodes: [Node], leaves: IntervalMap, describer: any FunctionDescriber) {
    self.nodes = nodes
    self.leaves = leaves
    self.describer = describer
    file = nil
    rangesRead = 0
  }

  /// Before it is let go of: what it cost may be spent again.
  func giveBack() {
    file?.functionBudget += nodes.count
    file?.rangeBudget += rangesRead
  }
}

/// The line on which a function is declared.
struct Declaration {
  var path: String
  var line: UInt32
}

/// Knows what the nodes of a tree are called.
protocol FunctionDescriber: AnyObject {
  func name(of node: FunctionTree.Node, in names: FunctionNames) -> FunctionName
  func declaration(of node: FunctionTree.Node) -> Declaration?
}

/// One pass over all entries of a unit, in their order.
private struct FunctionReader {
  private(set) var nodes: [FunctionTree.Node] = []
  private var ranges: [IntervalMap.Interval] = []
  private let unit: Unit
  private let abbreviations: AbbreviationTable
  private let encoding: UnitEncoding
  private let code: Range<UInt64>
  /// How many nodes may be made.
  private let budget: Int

  init(_ unit: Unit) {
    budget = unit.file.functionBudget
    self.unit = unit
    abbreviations = unit.abbreviations
    encoding = unit.encoding
    code = unit.codeRange
  }

  /// Lets go of the ranges, so that they are put in order where they are.
  mutating func takeRanges() -> [IntervalMap.Interval] {
    defer { ranges = [] }
    return ranges
  }

  mutating func read() {
    var cursor = ByteCursor(unit.file.info.prefix(UInt64(unit.end)), at: UInt64(unit.firstEntry))
    // The node around the entries at each depth; negative outside of functions.
    var around: [Int32] = []
    var current: Int32 = -1
    abbreviations.declarations.withUnsafeBufferPointer { declarations in
      abbreviations.steps.withUnsafeBufferPointer { steps in
        while !cursor.isAtEnd {
          let entry = cursor.offset
          let code = cursor.uleb()
          if code == 0 {
            guard let outer = around.popLast(), !around.isEmpty else { return }
            current = outer
            continue
          }
          guard let index = abbreviations.index(of: code) else { return }
          let declaration = declarations[index]
          var inside = current
          let path = UnsafeBufferPointer(
            rebasing: steps[Int(declaration.steps.lowerBound)..<Int(declaration.steps.upperBound)])
          if declaration.role == .function {
            guard nodes.count < budget else { return }
            inside = readFunction(at: &cursor, entry: entry, declaration, path, around: current)
          } else {
            // A concrete function may be nested in one without code.
            if declaration.role == .functionWithoutCode { inside = -1 }
            for step in path {
              cursor.skip(UInt64(step.fixed))
              if step.form != 0 { FormValue.skip(form: step.form, at: &cursor, encoding) }
            }
          }
          if declaration.hasChildren {
            guard around.count < Limits.entryDepth else { return }
            around.append(current)
            current = inside
          } else if around.isEmpty {
            return
          }
        }
      }
    }
  }

  /// Reads a function's or inlined call's entry; gives the node that its children lie in.
  private mutating func readFunction(
    at cursor: inout ByteCursor, entry: Int, _ declaration: AbbreviationTable.Declaration,
    _ path: UnsafeBufferPointer<AbbreviationTable.Step>, around: Int32
  ) -> Int32 {
    var low = FormValue.none
    var high = FormValue.none
    var list = FormValue.none
    var node = FunctionTree.Node(entry: UInt64(entry), origin: .none, parent: around, root: 0)
    for step in path {
      cursor.skip(UInt64(step.fixed))
      guard step.form != 0 else { break }
      let value = FormValue.read(form: step.form, implicit: step.implicit, at: &cursor, encoding)
      switch Int(step.name) {
      case DW_AT_low_pc: low = value
      case DW_AT_high_pc: high = value
      case DW_AT_ranges: list = value
      case DW_AT_abstract_origin: node.origin = value
      case DW_AT_call_file: node.callFile = UInt32(clamping: value.value)
      case DW_AT_call_line: node.callLine = UInt32(clamping: value.value)
      case DW_AT_call_column: node.callColumn = UInt32(clamping: value.value)
      default: break
      }
    }
    let isSubprogram = declaration.tag == UInt16(DW_TAG_subprogram)
    let hasCode = list.kind != .none || (low.kind != .none && high.kind != .none)
    // Without code a subprogram is a declaration or an abstract instance, yet a concrete one may be nested in it.
    if isSubprogram, !hasCode { return -1 }
    if !isSubprogram, around < 0 || (!hasCode && !declaration.hasChildren) { return around }

    let index = Int32(nodes.count)
    if isSubprogram { node.parent = -1 }
    node.root = isSubprogram ? index : nodes[Int(around)].root
    node.low = .max
    node.isInParts = list.kind != .none
    if hasCode {
      unit.forEachRange(list: list, low: low, high: high) { low, high in
        guard code.contains(low) else { return }
        ranges.append(IntervalMap.Interval(low: low, high: high, value: index))
        node.low = min(node.low, low)
      }
    }
    nodes.append(node)
    return index
  }
}

import CrashReportModel

/// The samples of a hang as a tree of calls, the outermost first: equal calls of several samples are one node.
///
/// The nodes are in one array, because a report may nest them to any depth. Nodes that own each other would be freed in
/// a recursion of that depth.
struct HangTree {
  /// A call.
  struct Node {
    /// The call; `nil` for the root, which represents all samples.
    let line: StackLine?
    /// How many samples have it.
    fileprivate(set) var count = 0
    /// The calls that it made, by their places in the array.
    fileprivate(set) var children: [Int] = []
  }

  /// What makes two calls one node.
  private struct Call: Hashable {
    let caller: Int
    let identity: String
  }

  /// The place of the root.
  static let root = 0

  private var nodes = [Node(line: nil)]
  private var places: [Call: Int] = [:]

  /// Merges samples.
  init(_ samples: [CrashReport.Hang.Sample], _ lines: StackLines) {
    for sample in samples {
      nodes[Self.root].count += 1
      var place = Self.root
      // How a frame was found does not make it another call.
      let frames = (sample.frames ?? []).map { frame in
        var frame = frame
        frame.byFramePointer = nil
        return frame
      }
      for line in lines.lines(frames).reversed() {
        place = child(of: place, for: line)
        nodes[place].count += 1
      }
    }
  }

  /// The node at a place.
  subscript(place: Int) -> Node { nodes[place] }

  /// The places of the calls that a node made, the more frequent first.
  func children(of place: Int) -> [Int] { nodes[place].children.sorted { nodes[$0].count > nodes[$1].count } }

  private mutating func child(of caller: Int, for line: StackLine) -> Int {
    let call = Call(caller: caller, identity: line.identity)
    if let place = places[call] { return place }
    places[call] = nodes.count
    nodes[caller].children.append(nodes.count)
    nodes.append(Node(line: line))
    return nodes.count - 1
  }
}

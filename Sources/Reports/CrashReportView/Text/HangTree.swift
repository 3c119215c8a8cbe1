import CrashReportModel

/// The samples of a hang as a tree of calls, the outermost first: equal calls of several samples are one node.
struct HangTree {
  /// A call.
  final class Node {
    /// The call; `nil` for the root, which stands for all samples.
    let line: StackLine?
    /// How many samples have it.
    var count = 0
    var children: [Node] = []

    init(_ line: StackLine?) { self.line = line }

    fileprivate func child(for line: StackLine) -> Node {
      if let child = children.first(where: { $0.line?.identity == line.identity }) { return child }
      children.append(Node(line))
      return children[children.count - 1]
    }
  }

  let root = Node(nil)

  /// Merges samples.
  init(_ samples: [CrashReport.Hang.Sample], _ lines: StackLines) {
    for sample in samples {
      root.count += 1
      var node = root
      // How a frame was found does not make it another call.
      let frames = (sample.frames ?? []).map { frame in
        var frame = frame
        frame.byFramePointer = nil
        return frame
      }
      for line in lines.lines(frames).reversed() {
        node = node.child(for: line)
        node.count += 1
      }
    }
  }
}

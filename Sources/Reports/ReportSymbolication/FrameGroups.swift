import CrashReportModel

extension CrashReport.Frame {
  /// Keys that symbolication sets, and replaces if a report was symbolicated before.
  private static let symbolicationKeys = [
    "symbol", "offset", "description", "image", "inlined", "system", "sourceLocation",
  ]

  /// The frame as it was before symbolication.
  var unsymbolicated: CrashReport.Frame {
    var frame = self
    for key in Self.symbolicationKeys { frame.fields[key] = nil }
    return frame
  }
}

/// One frame of the stack: with inlined calls, all the entries of one address.
struct FrameGroup {
  var entries: [CrashReport.Frame]

  /// The entry of the function that holds the address.
  var outermost: CrashReport.Frame { entries[entries.count - 1] }

  /// Joins the entries of each address: all but the last are marked as inlined.
  static func groups(_ frames: [CrashReport.Frame]) -> [FrameGroup] {
    var groups: [FrameGroup] = []
    for frame in frames {
      if let last = groups.last?.outermost, last.isInlined == true, last.address == frame.address {
        groups[groups.count - 1].entries.append(frame)
      } else {
        groups.append(FrameGroup(entries: [frame]))
      }
    }
    return groups
  }
}

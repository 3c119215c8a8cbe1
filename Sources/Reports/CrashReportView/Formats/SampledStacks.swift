import CrashReportModel

/// The stacks of a report for profiling tools: the samples of a hang's thread or, for any other report, one sample for
/// each thread. Each stack is below the name of its thread, outermost function first.
struct SampledStacks {
  struct Entry: Hashable {
    var name: String
    var file: String?
    var line: Int?
    var column: Int?
  }

  struct Sample {
    var entries: [Entry]
    /// The seconds of a hang that the sample represents; 1 for a thread.
    var weight: Double
  }

  let samples: [Sample]
  /// Whether weights are seconds.
  let isTimed: Bool

  init(_ report: CrashReport) {
    let images = ImageNames(report)
    let threads = report.threads ?? []
    if let hang = report.hang {
      let index = threads.firstIndex { $0.id != nil && $0.id == hang.thread }
      let label = index.map { threads[$0].label(at: $0) } ?? hang.queue ?? "hang"
      let kept = hang.samples ?? []
      samples = kept.indices.map { index in
        let from = kept[index].after ?? 0
        let to = index + 1 < kept.count ? kept[index + 1].after ?? from : max(hang.duration ?? from, from)
        return Sample(
          entries: Self.entries(kept[index].frames ?? [], below: label, images), weight: max(0, to - from))
      }
      isTimed = true
    } else {
      samples = threads.enumerated().map { index, thread in
        Sample(entries: Self.entries(thread.frames ?? [], below: thread.label(at: index), images), weight: 1)
      }
      isTimed = false
    }
  }

  private static func entries(_ frames: [CrashReport.Frame], below label: String, _ images: ImageNames) -> [Entry] {
    let entries = frames.reversed().compactMap { frame -> Entry? in
      switch frame.kind {
      case .truncated: return Entry(name: "[the stack could not be followed further]")
      case .omittedFrames: return Entry(name: "[\(frame.count.map { counted($0, "frame") } ?? "frames") left out]")
      default:
        let location = frame.sourceLocation
        return Entry(
          name: frame.name ?? images.place(of: frame), file: location?.file,
          line: location?.line.flatMap { $0 > 0 ? $0 : nil }, column: location?.column.flatMap { $0 > 0 ? $0 : nil })
      }
    }
    return [Entry(name: label)] + entries
  }
}

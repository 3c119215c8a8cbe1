import CrashReportModel
import CrashReportView

/// Stacks and images in Sentry's shape.
struct SentryStack {
  /// A stack has no more frames.
  static let mostFrames = 250

  private let images: ImageTable
  private let origins: FrameOrigins
  private let architecture: String?

  init(_ report: CrashReport) {
    origins = FrameOrigins(report)
    images = ImageTable(report)
    architecture = report.architecture
  }

  // MARK: Frames

  /// The stack, oldest first, of at most `limit` frames. Of a longer stack it has the oldest and the newest frames.
  func json(of frames: [CrashReport.Frame]?, atMost limit: Int) -> JSONObject? {
    let real = (frames ?? []).filter { $0.kind != .omittedFrames && $0.kind != .truncated }
    guard !real.isEmpty else { return nil }
    let firstAsync = real.firstIndex { $0.kind == .asyncResumePoint }
    var all = real.enumerated().map { index, frame in
      // The thread's own stack ends where the chain of a Swift task's callers begins.
      json(of: frame, startsChain: index + 1 == firstAsync)
    }
    var object = JSONObject()
    if all.count > limit {
      let newest = limit - limit / 4
      // Counted from the oldest, as they stand.
      object["frames_omitted"] = [limit / 4, all.count - newest].json
      all = Array(all.prefix(newest) + all.suffix(limit / 4))
    }
    object["frames"] = Array(all.reversed()).json
    return object
  }

  private func json(of frame: CrashReport.Frame, startsChain: Bool) -> JSONObject {
    var object = JSONObject()
    let image = frame.address.flatMap { images[$0.value] }
    object["function"] = frame.name.map { SentryText.text($0, atMost: 512).json }
    object["raw_function"] = frame.symbol.map { SentryText.text($0, atMost: 1024).json }
    if let location = frame.sourceLocation, let file = location.file {
      object["filename"] = file.split(separator: "/").last.map { String($0).json } ?? file.json
      object["abs_path"] = SentryText.text(file, atMost: 1024).json
      object["lineno"] = location.line.flatMap { $0 > 0 ? $0.json : nil }
      object["colno"] = location.column.flatMap { $0 > 0 ? $0.json : nil }
    }
    object["in_app"] = origins.isOwn(frame).json
    object["package"] = (image?.image.path ?? image?.image.name ?? frame.image)?.json
    object["instruction_addr"] = frame.address?.json
    object["symbol_addr"] = frame.symbolAddress?.json
    object["image_addr"] = image.map { Address($0.base).json }
    if startsChain { object["stack_start"] = true.json }
    return object
  }

  // MARK: Images

  /// The images that hold one of these addresses.
  func images(holding addresses: some Sequence<UInt64>) -> [JSONObject] {
    let bases = Set(addresses.compactMap { images[$0]?.base })
    return images.entries.filter { bases.contains($0.base) }.map(json)
  }

  /// All images.
  var allImages: [JSONObject] { images.entries.map(json) }

  private func json(of image: ImageTable.Entry) -> JSONObject {
    var object = JSONObject()
    object["type"] = "elf".json
    object["code_file"] = (image.image.path ?? image.image.name)?.json
    object["code_id"] = image.image.buildID?.json
    object["debug_id"] = SentryDebugID.text(image.image.buildID).json
    object["image_addr"] = Address(image.base).json
    object["image_size"] = image.end > image.base ? Int(clamping: image.end - image.base).json : nil
    object["arch"] = architecture?.json
    return object
  }
}

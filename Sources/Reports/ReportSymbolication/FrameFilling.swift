import CrashReportModel
import Symbolication

/// Writes what was looked up into the entries of a frame.
struct FrameFilling {
  let table: ImageTable
  let answers: [Int: ImageAnswer]

  /// The entries of a frame: one for each inlined call, innermost first.
  func entries(of group: FrameGroup) -> [CrashReport.Frame] {
    guard let key = AddressKey(group.outermost), let index = table.index(of: group.outermost),
      let answer = answers[index]
    else { return group.entries }
    let image = table.images[index]
    guard let calls = answer.lookups[key]?.calls, !calls.isEmpty else {
      return group.entries.map { entry in
        var entry = entry
        entry.image = entry.image ?? image.name
        if answer.isSystem { entry.isSystem = true }
        return entry
      }
    }
    let bare = group.outermost.unsymbolicated
    return calls.map { entry(for: $0, from: bare, in: image, isSystem: answer.isSystem) }
  }

  private func entry(
    for call: SymbolicatedCall, from bare: CrashReport.Frame, in image: CrashReport.Image, isSystem: Bool
  ) -> CrashReport.Frame {
    var entry = bare
    entry.symbol = call.mangledName
    entry.offset = call.offset
    entry.description = call.offset.map { "\(call.name) + \($0)" } ?? call.name
    entry.image = image.name
    if call.isInlined { entry.isInlined = true }
    if call.isRuntime || isSystem { entry.isSystem = true }
    entry.sourceLocation = call.location.map(Self.location)
    return entry
  }

  private static func location(_ location: Symbolication.SourceLocation) -> CrashReport.SourceLocation {
    var result = CrashReport.SourceLocation()
    result.file = location.path
    result.line = location.line
    result.column = location.column
    if location.isApproximate { result.isApproximate = true }
    return result
  }
}

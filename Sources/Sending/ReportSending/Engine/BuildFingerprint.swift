import CrashReportModel
import CrashReportView

/// The fingerprint of a report whose functions have no names yet. `Docs/many-reports.md` has the rule. For a crash,
/// `build_fingerprint.c` of the crash handler computes the same value.
public struct BuildFingerprint {
  private static let version = "b1"
  private static let countedPlaces = 5

  private let report: CrashReport
  private let images: ImageTable

  private init(_ report: CrashReport) {
    self.report = report
    images = ImageTable(report)
  }

  /// Returns the fingerprint that the report already has. If it has none, computes a fingerprint from the name of the
  /// fault and from the places of the frames in the images.
  public static func of(_ report: CrashReport) -> CrashReport.Fingerprint {
    if let known = report.fingerprint, known.value != nil { return known }
    let places = Self(report).places
    var fingerprint = CrashReport.Fingerprint()
    let lines = [report.faultName] + places.map(\.text)
    fingerprint.value = "\(version)-\(hash(lines.joined(separator: "\n")))"
    fingerprint.eventClass = report.faultName
    fingerprint.functions = places.map(\.name)
    return fingerprint
  }

  private typealias Place = (text: String, name: String)

  /// The innermost places of the program's own image, each once; of any image if none is there.
  private var places: [Place] {
    let own = places { isProgram($0) }
    return own.isEmpty ? places { _ in true } : own
  }

  private func places(where isWanted: (ImageTable.Entry) -> Bool) -> [Place] {
    var seen: Set<UInt64> = []
    var found: [Place] = []
    for frame in report.shownFrames ?? [] where found.count < Self.countedPlaces {
      guard let address = frame.address?.value else { continue }
      // A return address may lie behind the last instruction of its image.
      let isReturn = frame.kind == .returnAddress && address > 0
      guard let entry = images[isReturn ? address - 1 : address], isWanted(entry), seen.insert(address).inserted else {
        continue
      }
      let offset = "+0x" + String(address - entry.base, radix: 16)
      let name = entry.image.name ?? "?"
      found.append(((entry.image.buildID ?? name) + offset, name + offset))
    }
    return found
  }

  private func isProgram(_ entry: ImageTable.Entry) -> Bool {
    guard let name = report.process?.name else { return false }
    return entry.image.name == name || entry.image.path?.hasSuffix("/\(name)") == true
  }

  /// FNV-1a of 64 bits.
  private static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

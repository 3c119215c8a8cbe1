import CrashReportModel
import Glibc
import LinuxCalls
import Symbolication

/// Images that the report gives no build ID of: what lies at their paths today may be another build.
enum UnverifiedImages {
  /// Nil if there are none.
  static func find(
    _ answers: [Int: ImageAnswer], in table: ImageTable, _ timestamp: Timestamp?
  ) -> [CrashReport.UnverifiedImage]? {
    let images = answers.sorted { $0.key < $1.key }.compactMap { index, answer -> CrashReport.UnverifiedImage? in
      guard case .found(let path, _, _) = answer.status, table.reference(at: index).buildID == nil else {
        return nil
      }
      var image = CrashReport.UnverifiedImage()
      image.name = table.images[index].name
      image.foundPath = path
      if let timestamp { image.isChangedSince = changeTime(of: path).map { $0 > timestamp.microseconds } }
      return image
    }
    return images.isEmpty ? nil : images
  }

  /// When a file's contents were last changed, in microseconds since 1970.
  private static func changeTime(of path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
  }
}

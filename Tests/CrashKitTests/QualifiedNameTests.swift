import CrashKit
import CrashReportModel
import CrashReportReading
import CrashReportView
import ReportSymbolication
import Symbolication
import Testing
import ThreadGuard

/// Every public type can be written qualified by its module, also where all modules are imported: that this compiles is
/// the test.
@Test func publicTypesCanBeQualified() {
  let crashKit: [Any.Type] = [
    CrashKit.Application.self, CrashKit.Configuration.self, CrashKit.Retention.self, CrashKit.StoredReport.self,
    CrashKit.StoredReport.State.self, CrashKit.StoredReportError.self, CrashKit.Installation.self,
    CrashKit.InstallError.self,
    CrashKit.Level.self, CrashKit.Metric.self, CrashKit.Metric.State.self,
  ]
  let threadGuard: [Any.Type] = [ThreadGuard.Violation.self, ThreadGuard.Violation.Kind.self]
  let symbolication: [Any.Type] = [
    Symbolication.Symbolicator.self, Symbolication.ImageReference.self, Symbolication.Lookup.self,
    Symbolication.SourceLocation.self,
  ]
  let model: [Any.Type] = [CrashReportModel.CrashReport.self]
  #expect((crashKit + threadGuard + symbolication + model).count == 18)
}

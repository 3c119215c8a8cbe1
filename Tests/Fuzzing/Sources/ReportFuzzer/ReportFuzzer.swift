import CrashReportModel
import CrashReportReading
import CrashReportView
import ReportSymbolication
import Symbolication

/// Reads an input as `crashsym` would and shows what it finds in every format.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let reports = try? ReportReader.read(bytes) else { return 0 }
  for report in reports.prefix(8) { show(report) }
  return 0
}

private func show(_ report: CrashReport) {
  // No file is opened: what paths in a report may reach is tested elsewhere, and would make runs differ.
  let symbolicator = ReportSymbolicator { addresses, _ in
    let call = SymbolicatedCall(mangledName: "f", name: "f()", offset: 1, location: nil)
    return (addresses.map { _ in Lookup(calls: [call]) }, .missing(buildID: nil, searched: []))
  }
  let symbolicated = symbolicator.symbolicate(report)
  for shown in [symbolicated, symbolicated.scrubbed()] {
    let text = TextReport(options: .init(showsSource: false)).text(of: shown)
    precondition(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A }, "a control character in the text")
    _ = CollapsedStacks.text(of: shown)
    _ = SpeedscopeFile.text(of: shown)
    _ = FirefoxProfileFile.text(of: [shown])
    _ = LockGraph.text(of: shown)
    _ = SarifFile.text(of: [shown], version: "1")
    _ = WorkflowCommands.text(of: shown)
    let verified = VerifiedReport(report: shown)
    let markdown = MarkdownReport.text(of: [verified], options: .init(showsSource: false))
    precondition(markdown.utf16.count <= MarkdownReport.longest, "Markdown that is too long")
    _ = JUnitFile.text(of: [verified], options: .init(showsSource: false))
    _ = PprofFile.bytes(of: [shown])
    _ = HTMLReport.text(of: [verified], options: .init(showsSource: false))
    // What is written must be read again as the same.
    let json = shown.json.text
    guard let again = try? JSONParser.parse(Array(json.utf8)) else { fatalError("JSON that cannot be read") }
    precondition(again.cut == nil, "JSON that is not whole")
    precondition(CrashReport(fields: again.object).json.text == json, "JSON that changes when it is read")
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<CommandLineArguments>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias CommandLineArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// SwiftPM makes this the program's `main`.
@_cdecl("ReportFuzzer_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments, testOneInput)
}

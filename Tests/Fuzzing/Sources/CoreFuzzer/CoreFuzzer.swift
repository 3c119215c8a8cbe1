import CoreFiles
import CrashReportReading
import CrashReportView
import Glibc
import Symbolication

/// Where the input is put, as a core is read from a file.
private let file = mkstemp(&path)
private nonisolated(unsafe) var path = Array("/dev/shm/core-fuzzer-XXXXXX".utf8CString)

/// Where the programs of the cores of aarch64 are.
private let programs: String = {
  var folders = #filePath.split(separator: "/")
  folders.removeLast(4)
  return "/" + (folders + ["Aarch64", "Cores"]).joined(separator: "/")
}()

/// Reads an input as a core file and shows what it finds.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard file >= 0, ftruncate(file, 0) == 0, pwrite(file, start, count, 0) == count else { return 0 }
  let name = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  let options = SymbolicationOptions(symbolDirectories: [programs], debugDirectories: [])
  guard let report = try? CoreReports(options, showsArguments: true).read(name) else { return 0 }
  let text = TextReport(options: .init(showsSource: false)).text(of: report)
  precondition(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A }, "a control character in the text")
  return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<CommandLineArguments>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias CommandLineArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// SwiftPM makes this the program's `main`.
@_cdecl("CoreFuzzer_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
  var (count, arguments) = (count, arguments)
  defer { unlink(path) }
  return runDriver(&count, &arguments, testOneInput)
}

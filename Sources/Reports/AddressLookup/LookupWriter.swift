import CrashReportModel
import Symbolication

/// Turns answers into bytes, with a line end after each.
public protocol LookupWriter: Sendable {
  /// Appends the answer for an address.
  func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8])
  /// Appends an error in place of an answer, so that each address has exactly one answer.
  func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8])
}

/// Writes text like that of `addr2line -a -f -i -C -p`, with columns.
public struct LookupText: LookupWriter {
  let inlines: Bool
  let mangled: Bool
  let basenames: Bool

  /// - Parameters:
  ///   - inlines: Whether inlined calls are shown.
  ///   - mangled: Whether names are shown in the linker's form.
  ///   - basenames: Whether files are shown without their folders.
  public init(inlines: Bool, mangled: Bool, basenames: Bool) {
    (self.inlines, self.mangled, self.basenames) = (inlines, mangled, basenames)
  }

  public func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8]) {
    bytes += "0x\(String(address, radix: 16)): ".utf8
    guard !lookup.calls.isEmpty else {
      bytes += "?? ??:0\n".utf8
      return
    }
    for (index, call) in lookup.calls.prefix(inlines ? .max : 1).enumerated() {
      if index > 0 { bytes += " (inlined by) ".utf8 }
      bytes += name(of: call).harmlessName.utf8
      bytes += place(call.location).utf8
      if index == 0, let failure = lookup.runtimeFailure { bytes += " [\(failure.harmlessName)]".utf8 }
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  public func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8]) {
    bytes += "?? ??:0\n".utf8
  }

  private func name(of call: SymbolicatedCall) -> String {
    guard let linkageName = call.mangledName else { return "??" }
    return mangled ? linkageName : call.name
  }

  private func place(_ location: SourceLocation?) -> String {
    guard let location else { return " at ??:0" }
    let path = basenames ? location.path.split(separator: "/").last.map(String.init) ?? "??" : location.path
    let file = path.harmlessName
    guard location.line > 0 else { return " at \(file):?" }
    let column = location.column > 0 ? ":\(location.column)" : ""
    return " \(location.isApproximate ? "near" : "at") \(file):\(location.line)\(column)"
  }
}

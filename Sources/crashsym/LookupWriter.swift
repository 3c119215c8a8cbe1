import CrashReportModel
import Symbolication

/// Puts what was looked up into bytes, a line end behind each answer.
protocol LookupWriter {
  func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8])
  /// In the place of an answer, so that who reads them stays in step.
  func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8])
}

/// Like `addr2line -a -f -i -C -p`, with columns.
struct LookupText: LookupWriter {
  let inlines: Bool
  let mangled: Bool
  let basenames: Bool

  func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8]) {
    bytes += "0x\(String(address, radix: 16)): ".utf8
    guard !lookup.calls.isEmpty else {
      bytes += "?? ??:0\n".utf8
      return
    }
    for (index, call) in lookup.calls.prefix(inlines ? .max : 1).enumerated() {
      if index > 0 { bytes += " (inlined by) ".utf8 }
      bytes += Output.harmlessName(name(of: call)).utf8
      bytes += place(call.location).utf8
      if index == 0, let failure = lookup.runtimeFailure { bytes += " [\(Output.harmlessName(failure))]".utf8 }
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8]) {
    bytes += "?? ??:0\n".utf8
  }

  private func name(of call: SymbolicatedCall) -> String {
    guard let linkageName = call.mangledName else { return "??" }
    return mangled ? linkageName : call.name
  }

  private func place(_ location: SourceLocation?) -> String {
    guard let location else { return " at ??:0" }
    let path = basenames ? location.path.split(separator: "/").last.map(String.init) ?? "??" : location.path
    let file = Output.harmlessName(path)
    guard location.line > 0 else { return " at \(file):?" }
    let column = location.column > 0 ? ":\(location.column)" : ""
    return " \(location.isApproximate ? "near" : "at") \(file):\(location.line)\(column)"
  }
}

/// One object on a line for each address, with llvm-symbolizer's keys and a few more.
struct LookupJSON: LookupWriter {
  let inlines: Bool

  func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8]) {
    bytes += #"{"Address":"#.utf8
    Self.append(address: address, to: &bytes)
    bytes += #","ModuleName":"#.utf8
    Self.append(module, to: &bytes)
    if let failure = lookup.runtimeFailure {
      bytes += #","RuntimeFailure":"#.utf8
      Self.append(failure, to: &bytes)
    }
    bytes += #","Symbol":["#.utf8
    let unknown = [SymbolicatedCall(mangledName: nil, name: "")]
    for (index, call) in (lookup.calls.isEmpty ? unknown : lookup.calls).prefix(inlines ? .max : 1).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      Self.append(call, to: &bytes)
    }
    bytes += "]}\n".utf8
  }

  func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8]) {
    bytes += #"{"Error":{"Message":"#.utf8
    Self.append("\(what): \(subject)", to: &bytes)
    bytes += #"},"ModuleName":"#.utf8
    Self.append(module, to: &bytes)
    bytes += "}\n".utf8
  }

  private static func append(_ call: SymbolicatedCall, to bytes: inout [UInt8]) {
    let recorded = call.recordedLocation
    bytes += #"{"Column":\#(recorded?.column ?? 0)"#.utf8
    if let linkageName = call.mangledName, linkageName != call.name {
      bytes += #","DemangledName":"#.utf8
      append(call.name, to: &bytes)
    }
    bytes += #","FileName":"#.utf8
    append(recorded?.path ?? "", to: &bytes)
    bytes += #","FunctionName":"#.utf8
    append(call.mangledName ?? "", to: &bytes)
    bytes += #","Line":\#(recorded?.line ?? 0)"#.utf8
    if let near = call.location, near.isApproximate {
      bytes += #","NearColumn":\#(near.column),"NearFileName":"#.utf8
      append(near.path, to: &bytes)
      bytes += #","NearLine":\#(near.line)"#.utf8
    }
    bytes += #","StartAddress":"#.utf8
    if let start = call.start { append(address: start, to: &bytes) } else { bytes += #""""#.utf8 }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) { JSONValue.string(text).write(to: &bytes) }

  private static func append(address: UInt64, to bytes: inout [UInt8]) {
    bytes += "\"0x\(String(address, radix: 16))\"".utf8
  }
}

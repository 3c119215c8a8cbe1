import CrashReportModel
import LinuxCalls
import Symbolication

/// Writes one JSON object for each address, on its own line, with llvm-symbolizer's keys and a few more.
public struct LookupJSON: LookupWriter {
  let inlines: Bool

  /// - Parameter inlines: Whether inlined calls are shown.
  public init(inlines: Bool) { self.inlines = inlines }

  private static let unknown = SymbolicatedCall(mangledName: nil, name: "")

  public func write(_ lookup: Lookup, at address: UInt64, in module: String, to bytes: inout [UInt8]) {
    bytes.append(#"{"Address":"#)
    Self.append(address: address, to: &bytes)
    bytes.append(#","ModuleName":"#)
    Self.append(module.withoutForeignBytes, to: &bytes)
    if let failure = lookup.runtimeFailure {
      bytes.append(#","RuntimeFailure":"#)
      Self.append(failure, to: &bytes)
    }
    bytes.append(#","Symbol":["#)
    if lookup.calls.isEmpty { Self.append(Self.unknown, to: &bytes) }
    for (index, call) in lookup.calls.prefix(inlines ? .max : 1).enumerated() {
      if index > 0 { bytes.append(",") }
      Self.append(call, to: &bytes)
    }
    bytes.append("]}\n")
  }

  public func writeError(_ what: String, of subject: String, in module: String, to bytes: inout [UInt8]) {
    bytes.append(#"{"Error":{"Message":"#)
    Self.append("\(what): \(subject)", to: &bytes)
    bytes.append(#"},"ModuleName":"#)
    Self.append(module.withoutForeignBytes, to: &bytes)
    bytes.append("}\n")
  }

  private static func append(_ call: SymbolicatedCall, to bytes: inout [UInt8]) {
    bytes.append(#"{"Column":"#)
    append(call.recordedLocation?.column ?? 0, to: &bytes)
    if let linkageName = call.mangledName, linkageName != call.name {
      bytes.append(#","DemangledName":"#)
      append(call.name, to: &bytes)
    }
    bytes.append(#","FileName":"#)
    append(call.recordedLocation?.path ?? "", to: &bytes)
    bytes.append(#","FunctionName":"#)
    append(call.mangledName ?? "", to: &bytes)
    bytes.append(#","Line":"#)
    append(call.recordedLocation?.line ?? 0, to: &bytes)
    if let near = call.location, near.isApproximate {
      bytes.append(#","NearColumn":"#)
      append(near.column, to: &bytes)
      bytes.append(#","NearFileName":"#)
      append(near.path, to: &bytes)
      bytes.append(#","NearLine":"#)
      append(near.line, to: &bytes)
    }
    bytes.append(#","StartAddress":"#)
    if let start = call.start { append(address: start, to: &bytes) } else { bytes.append(#""""#) }
    bytes.append("}")
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) { JSONValue.string(text).write(to: &bytes) }

  private static func append(_ number: Int, to bytes: inout [UInt8]) { bytes += String(number).utf8 }

  private static func append(address: UInt64, to bytes: inout [UInt8]) {
    bytes.append(#""0x"#)
    bytes += String(address, radix: 16).utf8
    bytes.append(#"""#)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ literal: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }
}

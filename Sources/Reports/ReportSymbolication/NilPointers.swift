import CrashReportModel
import Symbolication

/// Names the pointer near zero that a crashed thread used.
struct NilPointers {
  /// Finds the pointer of an access in an image.
  typealias Find = @Sendable (_ access: FailedAccess, _ image: ImageReference) -> NilPointer?

  /// Linux maps nothing below it: an address there is an offset from a null pointer.
  private static let firstMapped: UInt64 = 0x10000

  let table: ImageTable
  let find: Find

  func fill(_ report: inout CrashReport) {
    guard let (access, image) = failedAccess(in: report), let found = find(access, image) else { return }
    var fault = report.fault ?? CrashReport.Fault()
    fault.pointer = CrashReport.Fault.Pointer(found)
    report.fault = fault
  }

  private func failedAccess(in report: CrashReport) -> (FailedAccess, ImageReference)? {
    guard report.signal?.name == "SIGSEGV", report.causeCode == nil || report.causeCode == .nullDereference,
      let target = report.faultAddress?.value, target < Self.firstMapped,
      let thread = report.threads?.first(where: { $0.crashed == true }), let frames = thread.frames,
      let top = FrameGroup.groups(frames).first?.outermost, top.kind == .programCounter,
      let counter = top.address?.value, let image = table.index(of: top)
    else { return nil }
    let registers = (thread.registers?.members ?? []).compactMap { register -> (String, UInt64)? in
      guard case .string(let text) = register.value, let value = Address(text)?.value else { return nil }
      return (register.key, value)
    }
    let values = Dictionary(registers, uniquingKeysWith: { first, _ in first })
    return (FailedAccess(address: counter, target: target, registers: values), table.images[image].reference)
  }
}

extension CrashReport.Fault.Pointer {
  fileprivate init(_ found: NilPointer) {
    self.init()
    register = found.register
    value = found.value.map { Address($0) }
    offset = found.offset.flatMap { Int(exactly: $0) }
    name = found.name
    type = found.type
    member = found.member
  }
}

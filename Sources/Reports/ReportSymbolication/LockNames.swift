import CrashReportModel
import Symbolication

/// Names locks that are variables of the program by those.
struct LockNames {
  /// The variable at an address of an image.
  typealias LookUp = @Sendable (_ address: UInt64, _ image: ImageReference) -> Variable?

  let table: ImageTable
  let lookUp: LookUp

  func fill(_ report: inout CrashReport) {
    var known: [UInt64: String?] = [:]
    func name(_ given: String?, _ address: Address?) -> String? {
      guard given == nil, let address = address?.value else { return given }
      if let found = known[address] { return found }
      let found = variable(at: address)
      known[address] = .some(found)
      return found
    }
    report.threads = report.threads?.map { thread in
      // Of a condition, the address is that of a word inside.
      guard var wait = thread.waitingFor, wait.type != "condition" else { return thread }
      wait.name = name(wait.name, wait.address)
      var thread = thread
      thread.waitingFor = wait
      return thread
    }
    let steps = report.deadlock?.steps?.map { step in
      var step = step
      step.name = name(step.name, step.address)
      return step
    }
    report.deadlock?.steps = steps
  }

  private func variable(at address: UInt64) -> String? {
    guard let image = table.image(below: address), let variable = lookUp(address, image.reference) else { return nil }
    return variable.offset == 0 ? variable.name : "\(variable.name) + \(variable.offset)"
  }
}

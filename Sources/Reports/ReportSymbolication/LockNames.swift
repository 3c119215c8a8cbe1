import CrashReportModel
import Symbolication

/// Names locks that are variables of the program by those. Each image is looked at once, for all locks in it.
struct LockNames {
  /// The variables at addresses of an image.
  typealias LookUp = @Sendable (_ addresses: Set<UInt64>, _ image: ImageReference) -> [UInt64: Variable]

  let table: ImageTable
  let lookUp: LookUp

  func fill(_ report: inout CrashReport) {
    let waits = (report.threads ?? []).compactMap(\.waitingFor).filter(Self.mayBeVariable)
    let steps = report.deadlock?.circles.flatMap { $0.steps ?? [] } ?? []
    let names = names(at: waits.map { ($0.name, $0.address) } + steps.map { ($0.name, $0.address) })
    guard !names.isEmpty else { return }
    func name(_ given: String?, _ address: Address?) -> String? { given ?? address.flatMap { names[$0.value] } }
    report.threads = report.threads?.map { thread in
      guard var wait = thread.waitingFor, Self.mayBeVariable(wait) else { return thread }
      wait.name = name(wait.name, wait.address)
      var thread = thread
      thread.waitingFor = wait
      return thread
    }
    func named(_ circle: CrashReport.Deadlock) -> CrashReport.Deadlock {
      var circle = circle
      circle.steps = circle.steps?.map { step in
        var step = step
        step.name = name(step.name, step.address)
        return step
      }
      return circle
    }
    guard var deadlock = report.deadlock.map(named) else { return }
    deadlock.others = deadlock.others?.map(named)
    report.deadlock = deadlock
  }

  /// Of a condition, the address is that of a word inside.
  private static func mayBeVariable(_ wait: CrashReport.HeldLock) -> Bool { wait.type != "condition" }

  /// The names of the variables at the addresses of locks without one.
  private func names(at locks: [(name: String?, address: Address?)]) -> [UInt64: String] {
    var addresses: [Int: Set<UInt64>] = [:]
    for lock in locks where lock.name == nil {
      guard let address = lock.address?.value, let image = table.index(below: address) else { continue }
      addresses[image, default: []].insert(address)
    }
    return addresses.reduce(into: [:]) { names, query in
      for (address, variable) in lookUp(query.value, table.reference(at: query.key)) {
        names[address] = variable.offset == 0 ? variable.name : "\(variable.name) + \(variable.offset)"
      }
    }
  }
}

import CrashReportModel

/// The threads of a report by their ids; of several with one id, the first.
struct ThreadsByID {
  private let threads: [CrashReport.Thread]
  private let places: [Int: Int]

  init(_ report: CrashReport) {
    threads = report.threads ?? []
    let pairs = threads.enumerated().compactMap { index, thread in thread.id.map { ($0, index) } }
    places = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// The thread of an id.
  subscript(id: Int?) -> CrashReport.Thread? { id.flatMap { places[$0] }.map { threads[$0] } }
}

/// How threads are called in sentences.
struct ThreadNames {
  private let labels: [Int: String]

  init(_ report: CrashReport) {
    let pairs = (report.threads ?? []).enumerated().compactMap { index, thread in
      thread.id.map { ($0, thread.label(at: index)) }
    }
    labels = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// "thread 42 "worker"".
  func label(of id: Int?) -> String {
    guard let id else { return "a thread" }
    return "thread \(labels[id] ?? id.description)"
  }
}

/// What a thread waits for, in words.
struct Wait {
  let type: String?
  let mode: String?
  let address: Address?
  let owner: Int?
  let name: String?

  init(_ lock: CrashReport.HeldLock) {
    (type, mode, address, owner, name) = (lock.type, lock.mode, lock.address, lock.owner, lock.name)
  }

  init(_ step: CrashReport.Deadlock.Step) {
    (type, mode, address, owner, name) = (step.type, step.mode, step.address, step.owner, step.name)
  }

  /// "the mutex at 0x…, held by thread 42 "worker"", or "the end of thread 42".
  func words(_ names: ThreadNames) -> String {
    if type == "thread" { return "the end of \(names.label(of: owner))" }
    let title = name.map { " \"\($0)\"" } ?? ""
    let place = address.map { " at \($0)" } ?? ""
    let holder = owner.map { ", \(deed) by \(names.label(of: $0))" } ?? ""
    return "the \(noun)\(title)\(place)\(mode == "shared" ? " for reading" : "")\(holder)"
  }

  private var noun: String {
    switch type {
    case "swiftMutex": "Mutex"
    case "workItem": "end of a DispatchWorkItem"
    case "once": name == nil ? "initialisation" : "initialisation of"
    default: type ?? "lock"
    }
  }

  private var deed: String { type == "queue" || type == "once" ? "run" : "held" }
}

import Workloads

/// The settings of a stress run.
public struct StressSettings: Sendable {
  /// Which variants of a workload run.
  public enum Choice: Sendable, Hashable, CustomStringConvertible {
    case all, correct, faulty
    /// The variant with this name.
    case named(String)

    /// Reads the user's choice: `all`, `correct`, `faulty` or the name of a variant.
    public init(_ text: String) {
      switch text {
      case "all": self = .all
      case "correct": self = .correct
      case "faulty": self = .faulty
      default: self = .named(text)
      }
    }

    public var description: String {
      switch self {
      case .all: "all"
      case .correct: "correct"
      case .faulty: "faulty"
      case .named(let name): name
      }
    }

    func includes(_ variant: Variant) -> Bool {
      switch self {
      case .all: true
      case .correct: variant.isCorrect
      case .faulty: !variant.isCorrect
      case .named(let name): variant.name == name
      }
    }
  }

  /// The allowed values of ``duration``, in seconds. A shorter run would test nothing, and a longer run would take too
  /// long.
  public static let durations: ClosedRange<Double> = 0.1...3600
  /// The allowed number of threads of a variant.
  public static let threadCounts: ClosedRange<Int> = 1...256

  /// The names of the workloads to run. If this list is empty, all workloads run.
  public var workloads: [String]
  public var variants: Choice
  /// The seed of the random numbers. It decides what each thread, queue or task of a variant does, and in which order.
  public var seed: UInt64
  /// How many seconds a repeating workload works; a value in ``durations``.
  public var duration: Double
  /// How many threads, queues or tasks of a variant work at once; a value in ``threadCounts``.
  public var threads: Int
  /// How many variants run at once.
  public var jobs: Int
  /// Whether a faulty variant ends as soon as all its planted mistakes are found.
  public var endsWhenFound: Bool

  public init(
    workloads: [String] = [], variants: Choice = .all, seed: UInt64, duration: Double = 2, threads: Int = 4,
    jobs: Int = 2, endsWhenFound: Bool = false
  ) {
    self.workloads = workloads
    self.variants = variants
    self.seed = seed
    self.duration = duration
    self.threads = threads
    self.jobs = jobs
    self.endsWhenFound = endsWhenFound
  }

  /// The variants to run, in the catalogue's order.
  ///
  /// - Throws: `StressFailure` with status 64 if a workload or a variant does not exist.
  public func cases(
    of catalogue: [any Workload.Type] = Catalogue.workloads
  ) throws(StressFailure) -> [StressCase] {
    guard Self.durations.contains(duration) else {
      throw .usage("--duration must be a number of seconds from 0.1 to 3600, not \(duration)")
    }
    guard Self.threadCounts.contains(threads) else { throw .usage("--threads must be from 1 to 256, not \(threads)") }
    guard (1...64).contains(jobs) else { throw .usage("--jobs must be from 1 to 64, not \(jobs)") }
    for name in workloads where !catalogue.contains(where: { $0.name == name }) {
      throw .usage(
        "there is no workload '\(name)'; the workloads are \(catalogue.map { $0.name }.joined(separator: ", "))")
    }
    let chosen = catalogue.filter { workloads.isEmpty || workloads.contains($0.name) }
    let cases = chosen.flatMap { workload in
      workload.variants.filter { variants.includes($0) }.map { StressCase(workload: workload.name, variant: $0) }
    }
    guard !cases.isEmpty else {
      let known = chosen.map { "\($0.name): \($0.variants.map { $0.name }.joined(separator: ", "))" }
      throw .usage("no variant '\(variants)'; the variants are \(known.joined(separator: "; "))")
    }
    return cases
  }

  /// The command that runs one variant again in the same way.
  public func command(for stressCase: StressCase) -> String {
    "diagdemo stress --workload \(stressCase.workload) --variant \(stressCase.variant.name) \(schedule)"
  }

  /// The command that runs the whole stress run again.
  public var command: String {
    let names = workloads.map { "--workload \($0) " }.joined()
    return "diagdemo stress \(names)--variant \(variants) \(schedule)"
  }

  private var schedule: String { "--seed \(seed) --duration \(duration) --threads \(threads)" }
}

/// One variant of one workload.
public struct StressCase: Sendable, Hashable {
  public let workload: String
  public let variant: Variant

  public init(workload: String, variant: Variant) {
    self.workload = workload
    self.variant = variant
  }

  /// The names of the workload and the variant, such as `watcher/half-locked`.
  public var name: String { "\(workload)/\(variant.name)" }
}

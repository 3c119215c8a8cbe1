import CGround
import CReportTerms
import CSecrets
import CrashReportModel

/// All Swift tasks that lived in a dead process, found by searching its memory as CrashKit does in a living one.
struct CoreTasks {
  /// A limit for all tasks together: a hostile core may have as many chains as it has room for.
  private static let mostContextsOfAll = 2 << 20
  private static let pieceSize = 1 << 20
  /// What is searched takes a second for a gigabyte; a core may be larger than any patience.
  private static let timeLimit = Duration.seconds(10)

  private let memory: CoreMemory
  private let runtime: SwiftRuntime
  private let code: AddressRanges
  private let excluded: AddressRanges

  /// - Parameter files: Where files were mapped: no task lies there.
  init(_ memory: CoreMemory, _ images: [CoreImage], _ runtime: SwiftRuntime, files: [Range<UInt64>]) {
    self.memory = memory
    self.runtime = runtime
    code = AddressRanges(images.map { $0.base..<max($0.base, $0.endOfText) })
    excluded = AddressRanges(files)
  }

  private struct Found {
    var task: SwiftTask
    /// Empty if a thread ran it.
    var chain: [UInt64]
    /// Addresses behind those.
    var omitted: Int
    /// Whether the chain ends as a task's chain does.
    var isWhole: Bool
  }

  /// Puts the tasks into a report, and how they were found.
  func fill(_ report: inout CrashReport, _ search: inout CrashReport.TaskSearch) {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + Self.timeLimit
    var searched: UInt64 = 0
    var isCut = false
    var byID: [UInt64: Found] = [:]
    var omitted = 0
    var contextsLeft = Self.mostContextsOfAll
    for segment in memory.segments where segment.isWritable && !isCut {
      guard !excluded.contains(segment.address) else { continue }
      isCut = !visit(segment, until: end, &searched, clock) { object in
        // A piece may hold thousands of tasks with long chains: those behind the limit are counted without theirs.
        if clock.now >= end { contextsLeft = 0 }
        guard let found = found(at: object, &contextsLeft), byID[found.task.id] == nil else { return }
        if byID.count < TERM_TASKS_MAX { byID[found.task.id] = found } else { omitted += 1 }
      }
    }
    let all = byID.values.sorted { $0.task.id < $1.task.id }
    report.tasks = listed(all)
    report.omittedTasks = all.count + omitted - (report.tasks?.count ?? 0)
    search.foundBy = "memorySearch"
    search.count = all.count + omitted
    search.searchedBytes = Int(clamping: searched)
    let time = (clock.now - start).components
    search.time = Double(time.seconds) + Double(time.attoseconds) / 1e18
    if isCut { search.isCut = true }
  }

  /// Calls `body` with each place that holds the first word of a task. Returns false if the time was up first.
  private func visit(
    _ segment: CoreMemory.Segment, until end: ContinuousClock.Instant, _ searched: inout UInt64,
    _ clock: ContinuousClock, _ body: (UInt64) -> Void
  ) -> Bool {
    let alignment = UInt64(TERM_TASK_ALIGNMENT)
    let (up, overflows) = segment.address.addingReportingOverflow(alignment - 1)
    guard !overflows else { return true }
    var address = up / alignment * alignment
    while address < segment.end {
      guard clock.now < end else { return false }
      let bytes = memory.read(address, Self.pieceSize)
      guard bytes.count >= 8 else { return true }
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, through: bytes.count - 8, by: Int(alignment))
        where bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == runtime.taskMetadata {
          body(address + UInt64(offset))
        }
      }
      searched += UInt64(bytes.count)
      guard bytes.count == Self.pieceSize else { return true }
      address += UInt64(Self.pieceSize)
    }
    return true
  }

  // MARK: One task

  private func found(at object: UInt64, _ contextsLeft: inout Int) -> Found? {
    guard let task = SwiftTask(at: object, in: memory, runtime), isLive(task), !task.isHelper else { return nil }
    guard !task.isRunning else { return Found(task: task, chain: [], omitted: 0, isWhole: true) }
    return chain(of: task, &contextsLeft)
  }

  /// The fields of a live task agree with each other: a freed one keeps its first word.
  private func isLive(_ task: SwiftTask) -> Bool {
    guard !task.isFreed, task.id > 0, task.id < TERM_TASK_ID_END, task.hasSoundStatus, task.isMade,
      code.contains(task.resume), task.context != 0
    else { return false }
    let slab: UInt64? = task.firstSlab == 0 ? runtime.slabMetadata : memory.word(at: task.firstSlab)
    guard slab == runtime.slabMetadata else { return false }
    return !task.isChild || SwiftTask(at: task.parent, in: memory, runtime)?.hasSoundStatus == true
  }

  /// Where the task goes on, then its callers outwards: a context begins with its parent and the function to resume.
  private func chain(of task: SwiftTask, _ contextsLeft: inout Int) -> Found {
    var found = Found(task: task, chain: [task.resume], omitted: 0, isWhole: false)
    var context = task.context
    var seen: Set<UInt64> = []
    while context != 0, context % 8 == 0, seen.count < TERM_TASK_CONTEXTS_MAX, contextsLeft > 0,
      seen.insert(context).inserted, let parent = memory.word(at: context), let address = memory.word(at: context &+ 8),
      code.contains(address)
    {
      contextsLeft -= 1
      // A continuation's context begins with the function that the task resumes at.
      if seen.count > 1 || address != task.resume {
        if found.chain.count < TERM_TASK_FRAMES_MAX { found.chain.append(address) } else { found.omitted += 1 }
      }
      context = parent
    }
    found.isWhole = context == 0
    return found
  }

  private func name(of task: SwiftTask) -> String? {
    guard task.hasName else { return nil }
    var record = task.record
    for _ in 0..<TERM_TASK_RECORDS_MAX where record != 0 {
      guard let kind = memory.word(at: record), let next = memory.word(at: record &+ 8),
        let text = memory.word(at: record &+ 16)
      else { return nil }
      if kind & UInt64(TERM_RECORD_KIND) == UInt64(TERM_RECORD_NAME) {
        return self.text(at: text)
      }
      record = next
    }
    return nil
  }

  private func text(at address: UInt64) -> String {
    let limit = Int(TERM_TASK_NAME_MAX)
    // The end of a credential shows that its beginning is one.
    let bytes = memory.read(address, limit + Int(CSEC_SECRET_BEYOND)).prefix { $0 != 0 }
    let kept = [CChar](unsafeUninitializedCapacity: limit) { room, count in
      bytes.withUnsafeBytes { text in
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        count = csec_copy_without_secrets(room.baseAddress, start, text.count, limit)
      }
    }
    return String(decoding: kept.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  // MARK: The report's section

  private func listed(_ all: [Found]) -> [CrashReport.LiveTask] {
    var examples: [[UInt64]: (id: UInt64, count: Int)] = [:]
    for found in all where !found.chain.isEmpty { examples[found.chain, default: (found.task.id, 0)].count += 1 }
    var listed: [CrashReport.LiveTask] = []
    var kinds = 0
    for (index, found) in all.enumerated() {
      let example = examples[found.chain]
      let standsForOthers = example?.id == found.task.id
      if standsForOthers { kinds += 1 }
      guard index < TERM_TASKS_LISTED_MAX || (standsForOthers && kinds <= TERM_TASK_CHAINS_MAX) else { continue }
      var entry = section(of: found.task)
      if let example, !standsForOthers {
        entry.framesOf = Int(clamping: example.id)
      } else if !found.chain.isEmpty {
        if let count = example?.count, count > 1 { entry.alike = count }
        entry.frames = frames(of: found)
      }
      listed.append(entry)
    }
    return listed
  }

  private func section(of task: SwiftTask) -> CrashReport.LiveTask {
    var entry = CrashReport.LiveTask()
    entry.id = Int(clamping: task.id)
    entry.name = name(of: task)
    if task.isChild, let parent = SwiftTask(at: task.parent, in: memory, runtime) {
      entry.parent = Int(clamping: parent.id)
    }
    entry.state = task.isRunning ? .running : task.isEnqueued ? .enqueued : .suspended
    entry.priority = task.priority
    if task.isCancelled { entry.isCancelled = true }
    entry.awaits = awaited(by: task)
    return entry
  }

  private func awaited(by task: SwiftTask) -> CrashReport.LiveTask.Awaited? {
    guard !task.isRunning, !task.isEnqueued || task.dependency != 0 else { return nil }
    var entry = CrashReport.LiveTask.Awaited()
    entry.kind = .unknown
    func word(_ index: UInt64) -> UInt64? { memory.word(at: task.dependency &+ index * 8) }
    guard task.dependency != 0, let first = word(0), let what = word(2), let kind = word(4),
      first & UInt64(TERM_RECORD_KIND) == UInt64(TERM_RECORD_DEPENDENCY)
    else { return entry }
    switch UInt32(kind & UInt64(TERM_RECORD_KIND)) {
    case TERM_WAITS_FOR_TASK:
      let other = SwiftTask(at: what, in: memory, runtime)
      entry.kind = other?.isAsyncLet == true ? .asyncLet : .task
      entry.id = other.map { Int(clamping: $0.id) }
    case TERM_WAITS_FOR_CONTINUATION: entry.kind = .continuation
    case TERM_WAITS_FOR_GROUP: entry.kind = .group
    // For a thread of the pool alone.
    case TERM_WAITS_FOR_EXECUTOR where what == 0: return nil
    case TERM_WAITS_FOR_EXECUTOR:
      entry.kind = .actor
      entry.address = Address(what)
    default: break
    }
    return entry
  }

  private func frames(of found: Found) -> [CrashReport.Frame] {
    var frames = found.chain.map { address in
      var frame = CrashReport.Frame()
      frame.kind = .asyncResumePoint
      frame.address = Address(address)
      return frame
    }
    if found.omitted > 0 || !found.isWhole {
      var frame = CrashReport.Frame()
      frame.kind = .truncated
      frames.append(frame)
    }
    return frames
  }
}

import CLinuxCalls
import CaptureRequests
import CoreFiles
import Glibc
import LinuxCalls
import Symbolication

/// One look at one process.
final class ProcessLook {
  private let process: pid_t
  private let files: ProcessFiles
  /// Open, so that the number cannot become another process's meanwhile.
  private let descriptor: Int32
  /// A thread of it that still runs: the main thread may have ended.
  private let first: pid_t

  init(_ process: pid_t) throws(CaptureFailure) {
    files = ProcessFiles(process: process)
    descriptor = try files.openProcess(to: "looked at")
    self.process = process
    do throws(CaptureFailure) {
      guard ProcessStatus(of: process)?.isOfKernel != true else { throw Refusal.ofKernel }
      guard let first = files.livingThreads().first else { throw Refusal.ended }
      self.first = first
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  func copy() throws(CaptureFailure) -> ProcessCopy {
    let program = "/proc/\(first)/exe"
    guard is64Bit(program) else { throw Refusal.otherProgram }
    let isSwift = (try? BinaryFile(path: program))?.hasSwiftCode == true
    let names = threadNames()
    guard let memory = MemoryCopy(capacity: MemoryRoom.bytes) else { throw .system("cannot be copied", errno) }
    let moment = try standstill(copyingTo: memory, isSwift: isSwift)
    guard !moment.threads.isEmpty else {
      throw .failed("did not stop: \(moment.unanswered.first?.reason ?? "it ended meanwhile")")
    }
    let newNames = threadNames(without: names)
    let threads = moment.threads.map { thread in
      ProcessCopy.Thread(
        id: Int(thread.id), name: names[thread.id] ?? newNames[thread.id], isStopped: thread.isGroupStop,
        registers: thread.registers)
    }
    return ProcessCopy(
      process: Int(process), name: names[process] ?? threads[0].name ?? "?", time: Self.now,
      stopTime: moment.time / .seconds(1), threads: threads, unanswered: moment.unanswered,
      mappings: FilePaths(first).mappings(moment.mappings), auxiliary: moment.auxiliary, codeMask: moment.codeMask,
      memory: memory, cut: moment.cut)
  }

  /// What is read while the process stands.
  private struct Moment {
    /// The main thread is the first one, unless it has ended.
    var threads: [ThreadStopper.Standing] = []
    var unanswered: [(id: Int, reason: String)] = []
    var mappings: [MappingLine] = []
    var auxiliary: [UInt8] = []
    var codeMask: UInt64 = 0
    var cut: String?
    var time = Duration.zero
  }

  /// Stops the process, reads, and lets it go on.
  private func standstill(copyingTo memory: MemoryCopy, isSwift: Bool) throws(CaptureFailure) -> Moment {
    let stopper = ThreadStopper(files)
    var moment = Moment()
    do throws(CaptureFailure) {
      try stopper.stopAll()
    } catch {
      _ = stopper.letGo()
      throw error
    }
    if let one = stopper.standing.first?.id {
      moment.mappings = MappingLine.all(in: KernelFile.read("/proc/\(one)/maps", atMost: Self.largestMaps) ?? [])
      moment.auxiliary = KernelFile.read("/proc/\(one)/auxv") ?? []
      moment.codeMask = UInt64(linux_trace_code_mask(one))
      var copier = MemoryCopier(one, moment.mappings, into: memory)
      copier.copyStacks(of: stopper.standing)
      copier.copyImages()
      if isSwift || moment.mappings.contains(where: { Self.isOfTasks($0.name) }) { copier.copyHeap() }
      moment.cut = copier.cut
    }
    moment.threads = stopper.standing
    moment.unanswered = stopper.unanswered
    moment.time = stopper.letGo()
    let main = process
    moment.threads.sort { ($0.id == main ? 0 : $0.id) < ($1.id == main ? 0 : $1.id) }
    return moment
  }

  /// A process has at most 65,530 mappings, unless the system's setting is higher.
  private static let largestMaps = 64 << 20

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private static func isOfTasks(_ name: String) -> Bool {
    name.hasSuffix("/libswift_Concurrency.so") || name.hasSuffix("/libdispatch.so")
  }

  /// Whether the program's file is one of 64 bits. One that cannot be read is not refused for that.
  private func is64Bit(_ program: String) -> Bool {
    let file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return true }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 5)
    // ELFCLASS64 in e_ident[EI_CLASS].
    return pread(file, &header, header.count, 0) != header.count || header[4] == 2
  }

  /// The names of the threads that are not known yet.
  private func threadNames(without known: [pid_t: String] = [:]) -> [pid_t: String] {
    var names: [pid_t: String] = [:]
    for id in files.threads() where known[id] == nil {
      guard let bytes = KernelFile.read("/proc/\(process)/task/\(id)/comm") else { continue }
      names[id] = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
    return names
  }
}

import CLibdw
import CrashReportModel
import CrashReportReading
import Glibc
import Symbolication

/// Makes reports from core files, and from copies of running processes: every thread's stack, registers, signal and
/// images.
public struct CoreReports: Sendable {
  private let options: SymbolicationOptions
  private let executable: String?
  private let showsArguments: Bool

  /// - Parameters:
  ///   - options: Where to search for the files of images.
  ///   - executable: The program's file; by default the file that the core names.
  ///   - showsArguments: Whether the report includes the command line, which may hold secrets.
  public init(_ options: SymbolicationOptions = .init(), executable: String? = nil, showsArguments: Bool = false) {
    self.options = options
    self.executable = executable
    self.showsArguments = showsArguments
  }

  /// The report of a core file, plain or compressed; nil if the path is something else.
  ///
  /// - Throws: `ReadingError` if it is a core file that cannot be read, or if the executable is not the program that
  ///   ran.
  public func read(_ path: String) throws(ReadingError) -> CrashReport? {
    guard let input = try CoreInput(path: path), let machine = CoreMachine(input.header.e_machine) else { return nil }
    let memory = CoreMemory(input)
    let notes = CoreNotes(input, memory.notes, machine)
    guard !notes.threads.isEmpty else {
      let cut = input.cut ?? memory.missingPart
      throw ReadingError(.notAReport, "a core file without a thread in it" + (cut.map { ": \($0)" } ?? ""))
    }
    let images = try CoreImages(memory, notes, executable: executable)
    let maker = CoreReportMaker(
      origin: ProcessOrigin(input, memory, notes), memory: memory, notes: notes, images: images, machine: machine,
      options: options, showsArguments: showsArguments)
    return maker.report()
  }

  /// The report of a running process, from its copy.
  ///
  /// - Throws: `ReadingError` if the copy has no thread, or if the executable is not the running program.
  public func report(of copy: ProcessCopy) throws(ReadingError) -> CrashReport {
    let machine = CoreMachine.own
    let memory = CoreMemory(copy, machine)
    let notes = CoreNotes(copy, machine)
    guard !notes.threads.isEmpty else { throw ReadingError(.notAReport, "a copy without a thread in it") }
    let images = try CoreImages(memory, notes, executable: executable)
    let maker = CoreReportMaker(
      origin: ProcessOrigin(copy), memory: memory, notes: notes, images: images, machine: machine,
      options: options, showsArguments: showsArguments)
    return maker.report()
  }
}

/// Puts into a report what was read of a process.
private struct CoreReportMaker {
  let origin: ProcessOrigin
  let memory: CoreMemory
  let notes: CoreNotes
  let images: CoreImages
  let machine: CoreMachine
  let options: SymbolicationOptions
  let showsArguments: Bool

  private var signal: CoreSignal {
    CoreSignal(
      number: notes.signal.map { Int($0.number) } ?? notes.threads[0].signal, info: notes.signal, machine: machine)
  }
  private var pc: UInt64 { machine.programCounter(notes.threads[0].registers) }

  func report() -> CrashReport {
    var report = CrashReport()
    report.timestamp = Timestamp(microsecondsSince1970: origin.time)
    report.kind = signal.isDeadly ? .crashReport : .capture
    report.description = signal.isDeadly ? signal.words : origin.description
    if signal.isDeadly { addSignal(to: &report) }
    report.platform = "Linux"
    report.architecture = machine.architecture
    report.process = process
    if let name = origin.attributes.hostname {
      report.host = CrashReport.Host()
      report.host?.name = name
    }
    report.images = images.images.sorted { $0.base < $1.base }.map(entry)
    let unwinder = CoreUnwinder(memory, notes, images.images, machine, options)
    report.threads = notes.threads.indices.map { thread($0, unwinder) }
    if let unwinder {
      let waits = CoreWaits(memory, notes, machine, unwinder.modules)
      waits.fill(&report)
      // A core does not show that a signal had stopped the process.
      if origin.stopTime != nil { waits.fillStates(&report) }
    }
    report.omittedThreads = notes.omittedThreads > 0 ? notes.omittedThreads : nil
    report.capturedMemory = memoryAtRegisters
    var capture = capture(isUnwound: unwinder != nil)
    capture.tasks = tasks(in: &report, unwinder?.modules)
    report.capture = capture
    return report
  }

  private func addSignal(to report: inout CrashReport) {
    var section = CrashReport.Signal()
    section.number = signal.number
    section.name = signal.name
    section.code = notes.signal.map { Int($0.code) } ?? 0
    section.codeName = signal.codeName
    section.pid = signal.sender.map { Int($0.pid) }
    section.uid = signal.sender.map { Int($0.uid) }
    report.signal = section
    report.faultAddress = signal.address(pc: pc).map(Address.init)
    if let cause = signal.cause(pid: notes.pid, pc: pc, isMapped: { memory.segment(holding: $0) != nil }) {
      report.setCause(cause.code, cause.sentence)
    }
  }

  private var process: CrashReport.Process {
    var process = CrashReport.Process()
    process.pid = notes.pid ?? origin.attributes.pid ?? notes.threads[0].id
    // The kernel cuts the name after 15 bytes.
    let path = origin.attributes.executable?.split(separator: "/").last.map(String.init)
    let program = images.executable.map { images.images[$0].name } ?? path
    process.name =
      (notes.name ?? origin.attributes.comm).map { name in program?.hasPrefix(name) == true ? program ?? name : name }
      ?? program ?? "?"
    if showsArguments, let arguments = notes.arguments {
      process.arguments = arguments.split(separator: " ").map(String.init).argumentsWithoutCredentials
    }
    return process
  }

  private func entry(_ image: CoreImage) -> CrashReport.Image {
    var entry = CrashReport.Image()
    entry.name = image.name
    entry.buildID = image.buildID.map(CoreImages.hex)
    entry.path = image.path
    entry.baseAddress = Address(image.base)
    entry.endOfText = Address(image.endOfText)
    return entry
  }

  private func thread(_ index: Int, _ unwinder: CoreUnwinder?) -> CrashReport.Thread {
    var thread = CrashReport.Thread()
    thread.id = notes.threads[index].id
    let isCrashed = index == 0 && signal.isDeadly
    if isCrashed { thread.crashed = true }
    thread.name = notes.threads[index].name
    thread.capturedBy = origin.capturedBy
    let stack = unwinder?.stack(of: index) ?? unwoundByNobody(index)
    let frames = stack.top + stack.bottom
    let isMixed = frames.contains(where: \.byFramePointer)
    thread.unwoundBy = unwinder == nil ? nil : isMixed ? "mixed" : "cfi"
    thread.stackEnd = stack.end
    if isCrashed {
      thread.registers = JSONObject(
        members: machine.named(notes.threads[index].registers).map {
          .init(key: $0.name, value: Address($0.value).json)
        })
    }
    thread.frames = stack.top.map(frame) + omitted(stack.omitted) + stack.bottom.map(frame)
    return thread
  }

  private func unwoundByNobody(_ index: Int) -> CoreUnwinder.Stack {
    let pc = machine.programCounter(notes.threads[index].registers)
    let frame = CoreUnwinder.Frame(address: pc, isProgramCounter: true, byFramePointer: false)
    return CoreUnwinder.Stack(top: [frame], end: "libdw cannot unwind this machine's stacks")
  }

  /// Adds the Swift tasks that lived, and says how they were found.
  private func tasks(in report: inout CrashReport, _ modules: CoreModules?) -> CrashReport.TaskSearch {
    var search = CrashReport.TaskSearch()
    guard let modules else {
      search.none = "libdw cannot read this machine's files"
      return search
    }
    do {
      let runtime = try SwiftRuntime(memory, modules)
      let files = notes.files.map { $0.start..<max($0.start, $0.end) }
      CoreTasks(memory, images.images, runtime, files: files).fill(&report, &search)
      if origin.isCut { search.isCut = true }
    } catch {
      search.none = error.reason
    }
    return search
  }

  private func frame(_ frame: CoreUnwinder.Frame) -> CrashReport.Frame {
    var entry = CrashReport.Frame()
    entry.kind = frame.isProgramCounter ? .programCounter : .returnAddress
    entry.address = Address(frame.address)
    if frame.byFramePointer { entry.byFramePointer = true }
    return entry
  }

  private func omitted(_ count: Int) -> [CrashReport.Frame] {
    guard count > 0 else { return [] }
    var entry = CrashReport.Frame()
    entry.kind = .omittedFrames
    entry.count = count
    return [entry]
  }

  /// Sixteen bytes at each register of the crashed thread that points to memory.
  private var memoryAtRegisters: JSONObject? {
    guard signal.isDeadly else { return nil }
    var object = JSONObject()
    for (_, value) in machine.named(notes.threads[0].registers) {
      let bytes = memory.readWithoutCredentials(value, 16)
      if bytes.count == 16 { object[Address(value).description] = .string(CoreImages.hex(bytes)) }
    }
    return object
  }

  private func capture(isUnwound: Bool) -> CrashReport.Capture {
    var section = CrashReport.Capture()
    section.unwinder = isUnwound ? "libdw" : nil
    section.stopTime = origin.stopTime
    section.threads = notes.threads.count + notes.omittedThreads + origin.unanswered.count
    section.unanswered = origin.silentThreads
    section.cutShort = origin.notes(
      unsureImages: images.images.count { !$0.isIdentified && !$0.isKernelProvided && $0.buildID != nil })
    return section
  }
}

extension CoreMemory {
  /// The bytes at an address with `*` for those of a credential, as the report of a crash has them.
  fileprivate func readWithoutCredentials(_ address: UInt64, _ count: Int) -> [UInt8] {
    let before = bytes(before: address)
    let bytes = before + read(address, CredentialsInMemory.behind)
    return Array(CredentialsInMemory.masked(bytes).dropFirst(before.count).prefix(count))
  }

  /// The bytes just before an address. The page before may not be in the core, or be the end of another mapping.
  private func bytes(before address: UInt64) -> [UInt8] {
    for size in [UInt64(CredentialsInMemory.before), address % 4096] where size <= address {
      let bytes = read(address - size, Int(size))
      if bytes.count == Int(size) { return bytes }
    }
    return []
  }

  /// A header that names the machine, and nothing else.
  var bareHeader: Elf64_Ehdr {
    var header = machineHeader
    header.e_phoff = 0
    header.e_phnum = 0
    header.e_shoff = 0
    header.e_shnum = 0
    header.e_shstrndx = 0
    return header
  }
}

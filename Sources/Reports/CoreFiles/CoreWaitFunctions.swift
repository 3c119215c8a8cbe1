import CReportTerms

/// Where the functions are that wait, in the binaries of a core: found as CrashKit finds them in a living process.
final class CoreWaitFunctions {
  private struct Place {
    var code: Range<UInt64>
    var kind: term_wait
    var frames: Int
  }

  /// The most bytes of a function that are looked through for what it ends in.
  private static let mostCode: UInt64 = 1 << 16

  private let modules: CoreModules
  private let processor: term_processor
  private let functions: [String: term_wait_function]
  /// By the address where a binary begins.
  private var places: [UInt64: [Place]] = [:]

  init(_ modules: CoreModules, _ machine: CoreMachine) {
    self.modules = modules
    processor = machine == .x86 ? TERM_X86_64 : TERM_AARCH64
    var functions: [String: term_wait_function] = [:]
    while let function = term_wait_function_at(functions.count) {
      functions[String(cString: function.pointee.name)] = function.pointee
    }
    self.functions = functions
  }

  /// What the function waits for in which a stack waits, by the innermost frames.
  func kind(_ frames: [(address: UInt64, isReturn: Bool)]) -> term_wait {
    for (index, frame) in frames.prefix(Int(TERM_WAIT_FRAMES)).enumerated() {
      let target = frame.isReturn ? frame.address &- 1 : frame.address
      guard let image = modules.image(at: target) else { continue }
      if let place = known(image).first(where: { $0.code.contains(target) }) {
        return index < place.frames ? place.kind : TERM_WAIT_NONE
      }
    }
    return TERM_WAIT_NONE
  }

  private func known(_ image: CoreImage) -> [Place] {
    if let found = places[image.base] { return found }
    var found: [Place] = []
    for (name, code) in modules.functions(named: { functions[$0] != nil }, in: image) {
      guard let function = functions[name] else { continue }
      Self.add(code, function, to: &found)
      for target in tailCalls(of: code) {
        guard image.base <= target, target < image.end, let code = modules.unwoundFunction(at: target),
          code.lowerBound == target
        else { continue }
        Self.add(code, function, to: &found)
      }
    }
    places[image.base] = found
    return found
  }

  /// What several functions end in that wait for different things says nothing.
  private static func add(_ code: Range<UInt64>, _ function: term_wait_function, to places: inout [Place]) {
    if let index = places.firstIndex(where: { $0.code.lowerBound == code.lowerBound }) {
      if places[index].kind != function.kind { places[index].kind = TERM_WAIT_NONE }
    } else {
      places.append(Place(code: code, kind: function.kind, frames: Int(function.frames)))
    }
  }

  private func tailCalls(of code: Range<UInt64>) -> [UInt64] {
    let size = min(code.upperBound - code.lowerBound, Self.mostCode)
    let bytes = modules.bytes(at: code.lowerBound, Int(size))
    var targets = [UInt64](repeating: 0, count: Int(TERM_TAIL_CALLS_MAX))
    let count = term_tail_calls(processor, bytes, bytes.count, code.lowerBound, &targets)
    return Array(targets.prefix(count))
  }
}

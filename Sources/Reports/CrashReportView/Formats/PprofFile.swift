import CrashReportModel

/// Reports as a profile for `go tool pprof` and other readers of its files: a compressed (gzip) message of Protocol
/// Buffers (https://github.com/google/pprof/blob/main/proto/profile.proto).
///
/// In the report of a hang, each sample has a time: the part of the hang's duration that this sample represents. In any
/// other report, each thread is one sample. The label `thread` names the thread of a stack.
public enum PprofFile {
  /// The file's bytes.
  public static func bytes(of reports: [CrashReport]) -> [UInt8] {
    var tables = Tables()
    var message = ProtobufMessage()
    for type in [("samples", "count"), ("time", "nanoseconds")] {
      message.add(
        1,
        ProtobufMessage {
          $0.add(1, tables.text(type.0))
          $0.add(2, tables.text(type.1))
        })
    }
    let stacks = reports.map(SampledStacks.init)
    for sample in stacks.flatMap({ stack in stack.samples.map { (stack.isTimed, $0) } }) {
      message.add(2, Self.sample(sample.1, isTimed: sample.0, &tables))
    }
    for location in tables.locations { message.add(4, location) }
    for function in tables.functions { message.add(5, function) }
    let isTimed = stacks.contains { $0.isTimed }
    let defaultType = tables.text(isTimed ? "time" : "samples")
    for text in tables.texts { message.add(6, text) }
    if let time = reports.lazy.compactMap(\.timestamp).first { message.add(9, Int(time.microseconds) * 1000) }
    if isTimed { message.add(10, stacks.flatMap(\.samples).map { nanoseconds($0.weight) }.reduce(0, &+)) }
    message.add(14, defaultType)
    return Gzip.stored(message.bytes)
  }

  private static func nanoseconds(_ seconds: Double) -> Int { Int(exactly: (seconds * 1e9).rounded()) ?? 0 }

  /// Outermost first in a report, innermost first in a profile.
  private static func sample(_ sample: SampledStacks.Sample, isTimed: Bool, _ tables: inout Tables) -> ProtobufMessage {
    let locations = sample.entries.dropFirst().reversed().map { tables.location($0) }
    var message = ProtobufMessage()
    message.add(1, packed: locations)
    message.add(2, packed: [1, isTimed ? nanoseconds(sample.weight) : 0])
    if let thread = sample.entries.first?.name {
      message.add(
        3,
        ProtobufMessage {
          $0.add(1, tables.text("thread"))
          $0.add(2, tables.text(thread))
        })
    }
    return message
  }

  /// The tables to which samples refer by number.
  private struct Tables {
    private(set) var texts = [""]
    private(set) var locations: [ProtobufMessage] = []
    private(set) var functions: [ProtobufMessage] = []
    private var textPlaces = ["": 0]
    private var locationPlaces: [SampledStacks.Entry: Int] = [:]
    private var functionPlaces: [SampledStacks.Entry: Int] = [:]

    mutating func text(_ text: String) -> Int {
      let text = text.harmless
      if let place = textPlaces[text] { return place }
      textPlaces[text] = texts.count
      texts.append(text)
      return texts.count - 1
    }

    /// Numbers of locations and functions begin at 1.
    mutating func location(_ entry: SampledStacks.Entry) -> Int {
      if let place = locationPlaces[entry] { return place }
      let function = function(of: entry)
      let number = locations.count + 1
      locations.append(
        ProtobufMessage { message in
          message.add(1, number)
          message.add(
            4,
            ProtobufMessage { line in
              line.add(1, function)
              line.add(2, entry.line ?? 0)
              line.add(3, entry.column ?? 0)
            })
        })
      locationPlaces[entry] = number
      return number
    }

    private mutating func function(of entry: SampledStacks.Entry) -> Int {
      let key = SampledStacks.Entry(name: entry.name, file: entry.file)
      if let place = functionPlaces[key] { return place }
      let number = functions.count + 1
      let (name, file) = (text(entry.name), text(entry.file ?? ""))
      functions.append(
        ProtobufMessage { message in
          message.add(1, number)
          message.add(2, name)
          message.add(3, name)
          message.add(4, file)
        })
      functionPlaces[key] = number
      return number
    }
  }
}

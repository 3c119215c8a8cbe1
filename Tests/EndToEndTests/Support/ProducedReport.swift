import Foundation

/// What the tests look at in a report. Decoded here on its own, so that a mistake in the package's reader does not hide
/// one in its writer.
struct ProducedReport: Decodable {
  struct Signal: Decodable {
    var number: Int32
    var name: String
    var code: Int32
    var codeName: String?
    var pid: Int32?
  }

  struct SourceLocation: Decodable {
    var file: String
    var line: Int
  }

  struct Frame: Decodable {
    var kind: String
    var address: String?
    var symbol: String?
    var description: String?
    var image: String?
    var inlined: Bool?
    var system: Bool?
    var sourceLocation: SourceLocation?
  }

  struct Thread: Decodable {
    var id: Int
    var name: String?
    var crashed: Bool?
    var state: String?
    var capturedBy: String
    var unwoundBy: String?
    var stackEnd: String?
    var registers: [String: String]?
    var task: Task?
    var waitingFor: Wait?
    var frames: [Frame]
  }

  struct Wait: Decodable {
    var type: String
    var mode: String
    var owner: Int?
    var name: String?
  }

  final class Deadlock: Decodable {
    struct Step: Decodable {
      var thread: Int
      var type: String
      var owner: Int
      var name: String?
    }

    let steps: [Step]
    let others: [Deadlock]?
  }

  struct Task: Decodable {
    struct Parent: Decodable {
      var id: Int
      var name: String?
    }

    var id: Int
    var name: String?
    var parent: Parent?
  }

  struct LiveTask: Decodable {
    struct Awaited: Decodable {
      var kind: String
      var id: Int?
    }

    var id: Int
    var name: String?
    var parent: Int?
    var state: String
    var thread: Int?
    var isCancelled: Bool?
    var awaits: Awaited?
    var unmovedFor: Double?
    var alike: Int?
    var framesOf: Int?
    var frames: [Frame]?
  }

  struct Context: Decodable {
    var name: String
    var attributes: [String: String]?
    var omittedAttributes: Int?
  }

  struct Fault: Decodable {
    struct Pointer: Decodable {
      var register: String
      var value: String?
      var offset: Int?
      var name: String?
      var type: String?
      var member: String?
    }
    var pointer: Pointer?
  }

  struct ThrownError: Decodable {
    var thread: Int
    var task: Int?
    var type: String?
    var isCause: Bool?
    var causeKnownBy: String?
    var context: Context?
    var frames: [Frame]
  }

  struct Guarded: Decodable {
    struct Step: Decodable {
      var thread: Int
      var frames: [Frame]
    }
    var address: String
    var size: Int
    var offset: Int
    var type: String?
    var allocated: Step?
    var released: Step?
  }

  struct Capture: Decodable {
    struct TaskSearch: Decodable { var none: String? }
    var tasks: TaskSearch?
  }

  struct Image: Decodable {
    var name: String?
    var path: String?
    var buildId: String?
    var baseAddress: String
    var endOfText: String
  }

  struct Breadcrumb: Decodable {
    var message: String
    var category: String?
    var attributes: [String: String]?
  }

  var schema: String
  var kind: String
  var description: String?
  var context: Context?
  var signal: Signal?
  var faultAddress: String?
  var fault: Fault?
  var cause: String?
  var causeCode: String?
  var message: String?
  var threads: [Thread]
  var deadlock: Deadlock?
  var tasks: [LiveTask]?
  var omittedTasks: Int?
  var guarded: Guarded?
  var thrown: [ThrownError]?
  var omittedThrown: Int?
  var capture: Capture?
  var images: [Image]
  var breadcrumbs: [Breadcrumb]?
  var attributes: [String: String]?

  init(path: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path))) }
  init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
}

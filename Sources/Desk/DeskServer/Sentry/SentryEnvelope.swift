#if Desk
  import CrashReportModel

  /// The data that a Sentry client sends in one request: a line about the envelope, and items, each after its own line.
  struct SentryEnvelope {
    struct Item {
      var type: String
      var payload: ArraySlice<UInt8>
    }

    /// The highest number of items. Clients send a few; more than this is hostile.
    private static let mostItems = 1000
    private static let lineFeed = UInt8(ascii: "\n")

    private(set) var header: JSONObject
    private(set) var items: [Item] = []

    /// - Throws: ``Refusal`` if these bytes are no envelope.
    init(_ bytes: [UInt8]) throws {
      var rest = bytes[...]
      guard let header = Self.object(Self.line(from: &rest)) else {
        throw Refusal(.bad, "the first line of the envelope is not a JSON object")
      }
      self.header = header
      while true {
        rest = rest.drop { $0 == Self.lineFeed }
        guard !rest.isEmpty else { return }
        guard items.count < Self.mostItems else {
          throw Refusal(.unprocessable, "the envelope has more than \(Self.mostItems) items")
        }
        items.append(try Self.item(from: &rest, items.count + 1))
      }
    }

    private static func item(from rest: inout ArraySlice<UInt8>, _ number: Int) throws -> Item {
      guard let header = object(line(from: &rest)), let type = header["type"].flatMap(String.init(json:)) else {
        throw Refusal(.bad, "item \(number) of the envelope has no type")
      }
      guard let length = header["length"].flatMap(Int.init(json:)) else {
        return Item(type: type, payload: line(from: &rest))
      }
      guard (0...rest.count).contains(length) else {
        throw Refusal(.bad, "the header of item \(number) of the envelope gives a wrong length")
      }
      let payload = rest.prefix(length)
      rest = rest.dropFirst(length)
      return Item(type: type, payload: payload)
    }

    /// Takes the bytes before the next line feed, and the line feed.
    private static func line(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      let line = rest.prefix { $0 != lineFeed }
      rest = rest.dropFirst(line.count + 1)
      return line
    }

    /// The object that the bytes are; `nil` if they are cut, or something follows it.
    static func object(_ bytes: ArraySlice<UInt8>) -> JSONObject? {
      guard let outcome = try? JSONParser.parse(Array(bytes)), outcome.cut == nil else { return nil }
      let rest = bytes.dropFirst(outcome.end)
      return rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ? outcome.object : nil
    }
  }
#endif

/// The export format of systemd's journal (https://systemd.io/JOURNAL_EXPORT_FORMATS), as `journalctl -o export` prints it.
///
/// Any program may write records, so every value is checked. A cut or damaged entry ends the list.
public enum JournalExport {
  /// The fields of one record. If a field has several values, only the first is stored here.
  public typealias Entry = [String: String]

  /// A value is cut after this many bytes, and an entry has at most this many fields.
  private static let longestValue = 64 << 10
  private static let mostFields = 1_000

  /// The entries in their order.
  public static func entries(in bytes: [UInt8]) -> [Entry] {
    var entries: [Entry] = []
    var entry: Entry = [:]
    var place = 0
    while place < bytes.count, let end = bytes[place...].firstIndex(of: 0x0A) {
      let line = bytes[place..<end]
      place = end + 1
      if line.isEmpty {
        if !entry.isEmpty { entries.append(entry) }
        entry = [:]
        continue
      }
      let value: ArraySlice<UInt8>
      let name: ArraySlice<UInt8>
      if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
        (name, value) = (line[..<equals], line[(equals + 1)...])
      } else {
        guard let size = size(in: bytes, at: place), size < bytes.count - place - 8 else { break }
        (name, value) = (line, bytes[(place + 8)..<(place + 8 + size)])
        place += 8 + size
        guard bytes[place] == 0x0A else { break }
        place += 1
      }
      let key = String(decoding: name, as: UTF8.self)
      if entry.count < mostFields, entry[key] == nil {
        entry[key] = String(decoding: value.prefix(longestValue), as: UTF8.self)
      }
    }
    return entries
  }

  /// Eight bytes, the lowest first; `nil` if they are not there, or no array has so many elements.
  private static func size(in bytes: [UInt8], at place: Int) -> Int? {
    guard place + 8 <= bytes.count else { return nil }
    let size = bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: size)
  }
}

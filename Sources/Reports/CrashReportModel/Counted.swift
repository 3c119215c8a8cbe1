/// A count with its noun: `1 byte`, `2 bytes`, `2 processes`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : noun.hasSuffix("s") ? "es" : "s")"
}

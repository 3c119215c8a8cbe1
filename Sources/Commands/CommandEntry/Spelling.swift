/// Finds the intended name for a mistyped word.
public enum Spelling {
  /// At most this many letters may be wrong, missing, superfluous or swapped.
  private static let mostMistakes = 2

  /// The name that is nearest to a word; nil if none is near.
  public static func nearest(to word: String, among names: [String]) -> String? {
    let distances = names.map { (name: $0, distance: distance(Array(word), Array($0))) }
    // Of a short word two letters are too much.
    return distances.filter { $0.distance <= min(mostMistakes, $0.name.count / 3) }.min {
      ($0.distance, $0.name) < ($1.distance, $1.name)
    }?.name
  }

  /// Damerau's and Levenshtein's distance, with neighbours that changed places as one mistake.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard left.count <= 2 * right.count + mostMistakes else { return .max }
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for i in 1..<(left.count + 1) {
      var row = [i]
      for j in 1...right.count {
        let isEqual = left[i - 1] == right[j - 1]
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (isEqual ? 0 : 1))
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}

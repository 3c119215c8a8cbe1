/// Finds recursion in a stack, so that a hundred frames of it take one line.
enum RepeatedFrames {
  /// The longest cycle of functions that is recognised.
  private static let longestCycle = 6
  /// This many rounds are shown. As many more must follow before any round is folded.
  private static let shownRounds = 2

  /// A run of lines of which all but the first rounds may be left out.
  struct Fold: Equatable {
    /// The lines to leave out.
    var lines: Range<Int>
    /// How many lines make up one round.
    var cycle: Int
  }

  /// The runs to leave out, in order.
  static func folds(_ lines: [StackLine]) -> [Fold] {
    let identities = lines.map(\.identity)
    var folds: [Fold] = []
    var start = 0
    while start < lines.count {
      if let fold = fold(identities, from: start) {
        folds.append(fold)
        start = fold.lines.upperBound
      } else {
        start += 1
      }
    }
    return folds
  }

  private static func fold(_ identities: [String], from start: Int) -> Fold? {
    for cycle in 1...longestCycle where start + cycle < identities.count {
      var end = start + cycle
      while end < identities.count, identities[end] == identities[end - cycle] { end += 1 }
      let rounds = (end - start) / cycle
      if rounds >= 2 * shownRounds + 1 {
        return Fold(lines: start + shownRounds * cycle..<start + rounds * cycle, cycle: cycle)
      }
    }
    return nil
  }
}

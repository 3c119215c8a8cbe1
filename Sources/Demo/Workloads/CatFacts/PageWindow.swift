/// Which pages of a long list are there: those around the one that is looked at. A value: who shares it brings a lock.
struct PageWindow<Item: Sendable>: Sendable {
  /// How many pages ahead and behind are loaded in advance.
  let prefetch: Int
  /// How many pages are kept; those that are farthest away go first.
  let capacity: Int

  private(set) var pages: [Int: [Item]] = [:]
  private(set) var loading: Set<Int> = []
  private(set) var visible = 1
  private(set) var lastPage: Int?

  /// - Parameter capacity: At least the visible page and what is prefetched on both sides.
  init(prefetch: Int, capacity: Int) {
    self.prefetch = max(0, prefetch)
    self.capacity = max(capacity, 2 * self.prefetch + 1)
  }

  /// Moves to a page. Returns the pages that must be loaded now, the nearest first; they count as being loaded.
  mutating func show(_ page: Int) -> [Int] {
    visible = min(max(1, page), lastPage ?? Int.max)
    let wanted = wantedPages.filter { pages[$0] == nil && !loading.contains($0) }
    loading.formUnion(wanted)
    return wanted
  }

  /// Takes a page in that was loaded. Returns the items of pages that had to go: of this one, if it is too far away by now.
  mutating func received(_ items: [Item], for page: Int, of lastPage: Int) -> [Item] {
    loading.remove(page)
    self.lastPage = lastPage
    visible = min(visible, lastPage)
    pages[page] = items
    return evict()
  }

  /// A page could not be loaded; it is loaded again when the reader next comes near.
  mutating func failed(_ page: Int) { loading.remove(page) }

  /// The visible page and those around it, the nearest first and the one ahead before the one behind.
  private var wantedPages: [Int] {
    let around = prefetch == 0 ? [] : (1...prefetch).flatMap { [visible + $0, visible - $0] }
    return ([visible] + around).filter { $0 >= 1 && $0 <= lastPage ?? Int.max }
  }

  private mutating func evict() -> [Item] {
    var evicted: [Item] = []
    while pages.count > capacity, let farthest = pages.keys.max(by: isNearer) {
      evicted += pages.removeValue(forKey: farthest) ?? []
    }
    return evicted
  }

  /// Of two pages as far away, the one behind counts as the farther.
  private func isNearer(_ page: Int, _ other: Int) -> Bool {
    let (distance, otherDistance) = (abs(page - visible), abs(other - visible))
    return distance == otherDistance ? page > other : distance < otherDistance
  }
}

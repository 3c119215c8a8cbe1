import Testing

@testable import Workloads

@Suite final class PageWindowTests {
  private var window = PageWindow<Int>(prefetch: 1, capacity: 3)

  private func show(_ page: Int) -> [Int] { window.show(page) }

  private func receive(_ pages: Int..., of last: Int = 9) -> [Int] {
    pages.flatMap { window.received([$0 * 10, $0 * 10 + 1], for: $0, of: last) }
  }

  @Test func theVisiblePageComesFirstAndThenItsNeighbours() {
    #expect(show(4) == [4, 5, 3])
    #expect(window.loading == [3, 4, 5])
  }

  @Test func loadedAndLoadingPagesAreNotLoadedAgain() {
    _ = show(4)
    _ = receive(4)
    #expect(show(4).isEmpty)
    #expect(show(5) == [6])
  }

  @Test func thereIsNothingBeforeTheFirstPageNorAfterTheLast() {
    #expect(show(-3) == [1, 2])
    _ = receive(1, of: 2)
    #expect(show(100).isEmpty)
    #expect(window.visible == 2)
  }

  @Test func aPageThatFailedIsWantedAgain() {
    _ = show(1)
    window.failed(2)
    #expect(show(1) == [2])
  }

  @Test func theFarthestPagesGo() {
    _ = show(2)
    #expect(receive(1, 2, 3).isEmpty)
    _ = show(3)
    #expect(receive(4) == [10, 11])
    #expect(window.pages.keys.sorted() == [2, 3, 4])
  }

  @Test func aPageThatComesTooLateGoesAtOnce() {
    _ = show(1)
    _ = show(8)
    #expect(receive(7, 8, 9).isEmpty)
    #expect(receive(1) == [10, 11])
    #expect(window.pages.keys.sorted() == [7, 8, 9])
  }

  @Test func ofTwoPagesAtTheSameDistanceTheOneBehindGoes() {
    _ = show(4)
    _ = receive(3, 4, 5)
    _ = show(5)
    #expect(receive(7) == [30, 31])
  }

  @Test func theListMayHaveBecomeShorter() {
    _ = show(9)
    _ = receive(9)
    _ = receive(8, of: 5)
    #expect(window.visible == 5)
    #expect(show(9) == [5, 4])
  }

  @Test func theVisiblePageAndItsNeighboursAlwaysFit() {
    #expect(PageWindow<Int>(prefetch: 3, capacity: 1).capacity == 7)
    #expect(PageWindow<Int>(prefetch: -1, capacity: 0).capacity == 1)
  }
}

@Suite struct LoadingProgressTests {
  @Test func theMostImportantStateIsShown() {
    #expect(LoadingProgress().state == .idle)
    #expect(LoadingProgress(lastFailed: true).state == .failed)
    #expect(LoadingProgress(loading: 1, lastFailed: true).state == .loading)
    #expect(LoadingProgress(loading: 2, late: 1).state == .slow)
    #expect(LoadingProgress(loading: 2, late: 1, retrying: 1).state == .reconnecting)
  }
}

import Foundation
import Testing

@testable import Workloads

@Suite struct DenyListTests {
  @Test func textsThatBeginWithADeniedTextAreDenied() {
    var list = DenyList(capacity: 10)
    list.learn("xq")
    #expect(list.denies("xq") && list.denies("xqz"))
    #expect(!list.denies("x") && !list.denies("axq") && !list.denies(""))
  }

  @Test func aShorterTextTakesThePlaceOfLongerOnes() {
    var list = DenyList(capacity: 10)
    list.learn("xqa")
    list.learn("xqb")
    list.learn("xq")
    list.learn("xqc")
    #expect(list.count == 1)
    #expect(list.denies("xqa"))
  }

  @Test func theEmptyTextIsNeverLearnt() {
    var list = DenyList(capacity: 10)
    list.learn("")
    #expect(list.count == 0 && !list.denies("a"))
  }

  @Test func theOldestGoesFirst() {
    var list = DenyList(capacity: 2)
    for text in ["a", "b", "c"] { list.learn(text) }
    #expect(!list.denies("a") && list.denies("b") && list.denies("c"))
  }
}

@Suite struct ResultCacheTests {
  private let someone = [User(number: 1, name: "bela")]

  @Test func theLeastRecentlyUsedGoesFirst() {
    var cache = ResultCache(capacity: 2)
    cache.keep(someone, for: "a")
    cache.keep(someone, for: "b")
    _ = cache.users(for: "a")
    cache.keep([], for: "c")
    let found = ["a", "b", "c"].map { cache.users(for: $0) }
    #expect(found == [someone, nil, []])
    #expect(cache.count == 2)
  }

  @Test func aNewAnswerReplacesTheOld() {
    var cache = ResultCache(capacity: 2)
    cache.keep(someone, for: "a")
    cache.keep([], for: "a")
    let found = cache.users(for: "a")
    #expect(found == [])
    #expect(cache.count == 1)
  }
}

@Suite struct OfflineStoreTests {
  private let folder = TemporaryFolder()
  private let users = [User(number: 2, name: "beno"), User(number: 1, name: "bela"), User(number: 3, name: "kira")]

  @Test func resultsOutliveALaunch() throws {
    let store = OfflineStore(path: folder.path + "/users.json")
    store.remember(users)
    try store.save()
    let next = OfflineStore(path: folder.path + "/users.json")
    #expect(next.users(matching: "be") == [users[1], users[0]])
    #expect(next.users(matching: "x").isEmpty)
  }

  @Test func aDamagedFileIsNoHindrance() throws {
    try Data("[{".utf8).write(to: URL(filePath: folder.path + "/users.json"))
    let store = OfflineStore(path: folder.path + "/users.json")
    #expect(store.users(matching: "").isEmpty)
    store.remember(users)
    try store.save()
    #expect(OfflineStore(path: folder.path + "/users.json").users(matching: "").count == 3)
  }

  @Test func nothingIsWrittenWithoutNews() throws {
    let store = OfflineStore(path: folder.path + "/users.json")
    try store.save()
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/users.json"))
  }

  @Test func aFolderThatIsNotThereIsAnError() {
    let store = OfflineStore(path: folder.path + "/none/users.json")
    store.remember(users)
    #expect(throws: (any Error).self) { try store.save() }
  }
}

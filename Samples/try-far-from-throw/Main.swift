// `try!` meets an error that was thrown four calls further in. An earlier error of the same type was dealt with.

import CrashKit

enum Catalogue {
  struct LoadError: Error { var file: String }

  @inline(never)
  static func open(_ file: String) throws -> String {
    guard file.hasSuffix(".json") else { throw LoadError(file: file) }
    return file
  }

  @inline(never)
  static func read(_ file: String) throws -> [Int] { [try open(file).count] }

  @inline(never)
  static func prices(in file: String) throws -> [Int] { try read(file) + [19] }

  @inline(never)
  static func cheapest(in file: String) throws -> Int? { try prices(in: file).min() }
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(
      .init(application: .init(name: "try-far-from-throw", version: "1.0"), keepsThrownErrors: true))
    let old = try? Catalogue.cheapest(in: "prices.xml")
    print(old ?? 0)
    print(try! Catalogue.cheapest(in: "prices.csv") ?? 0)
  }
}

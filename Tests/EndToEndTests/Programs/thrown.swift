// Errors are thrown, and one of them ends the program: thrown HOW.

struct Missing: Error { var name: String }
enum Refusal: Error {
  case busy
  case late(Int)
}

@inline(never) func open(_ name: String) throws -> Int {
  if !name.isEmpty { throw Missing(name: name) }  // An error is thrown here.
  return 1
}
@inline(never) func read(_ name: String) throws -> Int { try open(name) + 1 }
@inline(never) func prices(_ name: String) throws -> Int { try read(name) + 1 }
@inline(never) func catalogue(_ name: String) throws -> Int { try prices(name) + 1 }

@inline(never) func passOn(_ name: String) throws -> Int {
  do { return try prices(name) } catch {
    print("failed: \(error)")
    throw error
  }
}

@inline(never) func ask(_ count: Int) throws(Refusal) -> Int {
  if count > 0 { throw .late(count) }  // A typed error is thrown here.
  return 1
}

@main
struct Main {
  static func main() throws {
    switch CommandLine.arguments[1] {
    case "try": print(try! catalogue("prices.json"))  // It crashes here.
    case "top": print(try catalogue("prices.json"))
    case "again": print(try! passOn("prices.json"))
    case "typed":
      for count in 1...3 { _ = try? ask(count) }
      print(try! ask(3))
    default: break
    }
  }
}

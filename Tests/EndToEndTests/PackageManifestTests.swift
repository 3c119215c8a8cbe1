import Foundation
import Testing

extension EndToEnd {
  /// What a user of the libraries takes on with them.
  @Suite struct PackageManifestTests {
    private struct Manifest: Decodable {
      struct Product: Decodable {
        var name: String
        var targets: [String]
      }
      struct Target: Decodable {
        var name: String
        var dependencies: [Dependency]
      }
      /// `{"byName": [name, condition]}`, `{"target": [name, …]}` or `{"product": [name, package, …]}`.
      struct Dependency: Decodable {
        var kind: String
        var name: String

        init(from decoder: any Decoder) throws {
          let container = try decoder.container(keyedBy: Key.self)
          let key = try #require(container.allKeys.first)
          var values = try container.nestedUnkeyedContainer(forKey: key)
          kind = key.stringValue
          name = try values.decode(String.self)
        }
      }
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      var products: [Product]
      var targets: [Target]
    }

    @Test(arguments: ["CrashKit", "CrashKitGuard", "ThreadGuard", "CrashKitPreload"])
    func dependsOnNoPackage(_ product: String) throws {
      let swift = try #require(Products.onPath("swift"))
      // A build directory of its own: the tests' own may be locked by whoever runs them.
      let folder = try TemporaryFolder()
      let run = try ProgramRun.run([
        swift, "package", "--package-path", Products.root.path, "--scratch-path", folder.url.path, "dump-package",
      ])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.standardOutput.utf8))
      var open = try #require(manifest.products.first { $0.name == product }).targets
      var seen: Set<String> = []
      while let name = open.popLast() {
        guard seen.insert(name).inserted else { continue }
        let target = try #require(manifest.targets.first { $0.name == name }, "\(name) is no target of this package")
        for dependency in target.dependencies {
          #expect(dependency.kind != "product", "\(name) depends on \(dependency.name)")
          open.append(dependency.name)
        }
      }
      #expect(seen.count >= 1)
    }
  }
}

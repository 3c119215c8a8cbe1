import Foundation
import Testing

extension EndToEnd {
  /// A stack that the kernel puts right above our data, without a guard of its own, is to fault as it overflows.
  @Suite struct LibraryEndTests {
    private struct Mapping {
      let start, end: UInt64
      let access: Substring
      let path: Substring

      init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        let addresses = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard addresses.count == 2, words.count > 1 else { return nil }
        (start, end) = (addresses[0], addresses[1])
        access = words[1]
        path = words.count > 5 ? words[5] : ""
      }
    }

    @Test(arguments: ["libCrashKitPreload.so", "libThreadGuardPreload.so", "libCrashKitGuardPreload.so"])
    func noMemoryBehindALibraryIsAccessible(_ library: String) throws {
      let folder = try TemporaryFolder()
      let run = try ProgramRun.run(
        ["/bin/cat", "/proc/self/maps"],
        environment: [
          "LD_PRELOAD": Products.folder.appending(path: library).path, "CRASHKIT_DIRECTORY": folder.url.path,
          "CRASHKIT_OPTIONS": "guard=yes",
        ])
      let mappings = run.standardOutput.split(separator: "\n").compactMap(Mapping.init)
      var index = try #require(mappings.lastIndex { $0.path.hasSuffix(library) }, "\(run)")
      // Its zeroed data, and the ring in the middle of that, follow at once.
      func isFollowed(_ index: Int) -> Bool {
        index + 1 < mappings.count && mappings[index + 1].start == mappings[index].end
      }
      while isFollowed(index), mappings[index + 1].access.contains("w") { index += 1 }
      // The guard, or what the kernel had put there before.
      #expect(isFollowed(index), "\(run.standardOutput)")
    }
  }
}

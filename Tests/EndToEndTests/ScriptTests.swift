import Foundation
import Testing

extension EndToEnd {
  /// What the scripts of this package have in common.
  @Suite struct ScriptTests {
    /// dpkg-query fails if it does not know a package, and a script with errexit ends where a command fails.
    @Test(
      .enabled(if: Products.onPath("dpkg-query") != nil, "this is no Debian"),
      arguments: ["set -euo pipefail", "set -u"])
    func packagesThatDpkgDoesNotKnowAreMissing(_ options: String) throws {
      let library = Products.root.appending(path: "Scripts/lib/common.sh").path
      let script = "\(options); . \"$0\"; missing_packages no-such-package dpkg"
      let run = try ProgramRun.run(["/bin/bash", "-c", script, library])
      #expect(run.standardOutput == "no-such-package\n")
    }
  }
}

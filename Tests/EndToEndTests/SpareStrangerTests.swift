import Foundation
import Testing

/// `crashsym run` as root keeps a socket for programs that gave up their user. Every user can see its name.
@Suite(.enabled(if: getuid() == 0)) struct SpareStrangerTests {
  /// Starts `crashsym run` with a program of another user, and a stranger beside it. Each calls at the socket and prints
  /// how many descriptors it got, and how the call ended.
  private static let script = #"""
    import array, json, os, socket, subprocess, sys
    crashsym, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    call = """
    import array, os, socket, sys
    name = sys.argv[1] or os.environ.get("CRASHKIT_SPARE", "")
    print(name, flush=True)
    sys.stdin.readline()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.settimeout(20)
        s.connect(chr(0) + name)
        data, ancillary, flags, address = s.recvmsg(256, socket.CMSG_SPACE(64))
        count = sum(len(payload) // 4 for level, kind, payload in ancillary)
        print(count, len(data) > 0, os.getuid(), flush=True)
    sys.stdin.readline()
    """
    def start(prefix, user, name):
        setpriv = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        return subprocess.Popen(prefix + setpriv + [sys.executable, "-c", call, name], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
    program = start([crashsym, "run", "--quiet", "--output", folder] + options + ["--"], 65534, "")
    name = program.stdout.readline().strip()
    strangers = {"same user": start([], 65534, name), "other user": start([], 65533, name), "root": start([], 0, name)}
    answers = {}
    for who, process in strangers.items():
        process.stdout.readline()
        process.stdin.write("\n"); process.stdin.flush()
        answers[who] = process.stdout.readline().split()
    program.stdin.write("\n"); program.stdin.flush()
    answers["program"] = program.stdout.readline().split()
    for process in [program, *strangers.values()]:
        process.communicate("\n", timeout=60)
    print(json.dumps({"name": name, "answers": answers, "files": os.listdir(folder)}))
    """#

  private struct Outcome: Decodable {
    var name: String
    var answers: [String: [String]]
    var files: [String]
  }

  @Test(arguments: [[], ["--follow"]]) func strangersGetNoFile(_ options: [String]) throws {
    let folder = try TemporaryFolder()
    let run = try ProgramRun.run(
      ["/usr/bin/python3", "-c", Self.script, Products.crashsym, folder.url.path] + options)
    try #require(run.end == .exited(0), "\(run)")
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(run.standardOutput.utf8))
    #expect(outcome.name.hasPrefix("crashkit-"))
    for who in ["same user", "other user", "root"] {
      #expect(outcome.answers[who]?.prefix(2) == ["0", "False"], "\(who): \(outcome)")
    }
    // The program itself gets one: the socket was open for the others too.
    #expect(outcome.answers["program"] == ["1", "True", "65534"], "\(outcome)")
  }
}

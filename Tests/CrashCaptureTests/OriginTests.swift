import Foundation
import Testing

/// Where a process runs, by files as container engines, Kubernetes and systemd leave them.
@Suite struct OriginTests {
  private struct Origin: Equatable {
    var container = "", pod = "", namespace = "", unit = "", imageTag = ""
  }

  private static let id = String(repeating: "0a1b2c3d", count: 8)
  private static let other = String(repeating: "f", count: 64)

  private func host() -> String {
    var names = utsname()
    uname(&names)
    return withUnsafeBytes(of: &names.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// What a process finds whose files and variables are these.
  private func origin(
    groups: String = "0::/\n", mounts: String = "", namespace: String? = nil, pipe: String? = nil,
    _ variables: [String: String] = [:]
  ) throws -> Origin {
    let root = FileManager.default.temporaryDirectory.appending(path: "origin-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    var files = ["proc/self/cgroup": groups, "proc/self/mountinfo": mounts]
    files["var/run/secrets/kubernetes.io/serviceaccount/namespace"] = namespace
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    if let pipe {
      let path = root.appending(path: pipe)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? FileManager.default.removeItem(at: path)
      try #require(mkfifo(path.path, 0o600) == 0)
    }
    let process = Process()
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = own.deletingLastPathComponent().appending(path: "writer-probe")
    process.arguments = ["origin", root.path]
    process.environment = variables
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try #require(process.terminationStatus == 0 && lines.count == 7)
    #expect(lines[0] == host())
    return Origin(container: lines[1], pod: lines[2], namespace: lines[3], unit: lines[4], imageTag: lines[5])
  }

  @Test(arguments: [
    "12:memory:/docker/\(id)\n11:cpu:/docker/\(id)\n", "0::/system.slice/docker-\(id).scope\n",
    "0::/kubepods.slice/kubepods-burstable.slice/kubepods-pod12.slice/cri-containerd-\(id).scope\n",
    "1:name=systemd:/kubepods/besteffort/pod1234-5678/\(id)\n",
    "0::/machine.slice/libpod-\(id).scope/container\n",
    "0::/system.slice/containerd.service/kubepods-burstable-pod1.slice:cri-containerd:\(id)\n",
    "0::/docker/\(other)/docker/\(id)\n",
  ])
  func theControlGroupNamesTheContainer(_ groups: String) throws {
    #expect(try origin(groups: groups) == Origin(container: Self.id))
  }

  /// A program would wait at its start for somebody who writes.
  @Test(arguments: [
    "proc/self/cgroup", "proc/self/mountinfo", "var/run/secrets/kubernetes.io/serviceaccount/namespace",
  ])
  func readingDoesNotWaitForAPipe(_ path: String) throws {
    #expect(try origin(pipe: path, ["POD_NAME": "shop"]) == Origin(pod: "shop"))
  }

  @Test func theMountsNameTheContainerInACgroupNamespace() throws {
    let docker = "596 577 254:1 /var/lib/docker/containers/\(Self.id)/hostname /etc/hostname rw - ext4 /dev/vda1 rw\n"
    let podman = "72 60 0:24 /containers/overlay-containers/\(Self.id)/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw\n"
    let layer = "60 50 0:45 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/\(Self.other)/diff\n"
    let sandbox = "70 60 254:1 /io.containerd.grpc.v1.cri/sandboxes/\(Self.other)/hostname /etc/hostname rw\n"
    #expect(try origin(mounts: layer + sandbox + docker) == Origin(container: Self.id))
    #expect(try origin(mounts: layer).container == "")
    let foreign = docker.replacing(Self.id, with: Self.other)
    #expect(try origin(groups: "0::/docker-\(Self.id).scope", mounts: foreign).container == Self.id)
    #expect(try origin(mounts: podman).container == Self.id)
  }

  @Test(arguments: [
    ("0::/system.slice/shop.service\n", "shop.service"), ("0::/system.slice/shop@7.service/worker\n", "shop@7.service"),
    ("1:name=systemd:/system.slice/shop.service\n0::/\n", "shop.service"),
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/shop.service\n", "shop.service"),
    ("0::/system.slice/docker.service\n", ""), ("0::/user.slice/user-1000.slice/session-3.scope\n", ""),
    ("0::/system.slice/.service\n", ""), ("", ""), ("0::\n", ""), ("no path", ""),
  ])
  func theControlGroupNamesTheUnit(_ groups: String, _ unit: String) throws {
    #expect(try origin(groups: groups) == Origin(unit: unit))
  }

  @Test func aPodIsKnownByItsEnvironment() throws {
    let inside = ["KUBERNETES_SERVICE_HOST": "10.0.0.1"]
    #expect(try origin(namespace: "prod", inside) == Origin(pod: host(), namespace: "prod"))
    let named = inside.merging(["POD_NAME": "shop-7", "POD_NAMESPACE": "shops"]) { $1 }
    #expect(try origin(namespace: "prod", named) == Origin(pod: "shop-7", namespace: "shops"))
    #expect(try origin(namespace: "prod") == Origin())
  }

  @Test func openTelemetrysVariableComesFirst() throws {
    let attributes = "service.name=shop,k8s.pod.name=a,k8s.namespace.name=b,container.id=c,container.image.tags=2.1"
    let variables = ["OTEL_RESOURCE_ATTRIBUTES": attributes, "POD_NAME": "other", "IMAGE_TAG": "other"]
    #expect(
      try origin(groups: "0::/docker-\(Self.id).scope", variables)
        == Origin(container: "c", pod: "a", namespace: "b", imageTag: "2.1"))
    let empty = ["IMAGE_TAG": "7", "OTEL_RESOURCE_ATTRIBUTES": "container.image.tag=,x"]
    #expect(try origin(empty) == Origin(imageTag: "7"))
  }

  /// Variables are not the program's own words: what they hold is masked as everywhere.
  @Test func credentialsAreMasked() throws {
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    let variables = [
      "POD_NAME": "shop password=hunter2", "POD_NAMESPACE": token, "IMAGE_TAG": "https://u:hunter2@reg/x:\(token)",
      "OTEL_RESOURCE_ATTRIBUTES": "container.id=AKIAIOSFODNN7EXAMPLE",
    ]
    let masked = Origin(
      container: "***", pod: "shop password=***", namespace: "***", imageTag: "https://***@reg/x:***")
    #expect(try origin(variables) == masked)
    #expect(try origin(namespace: token, ["KUBERNETES_SERVICE_HOST": "h"]).namespace == "***")
    #expect(try origin(groups: "0::/password=hunter2.service\n") == Origin(unit: "password=***"))
  }

  /// A comma in a password ends no item, and the items behind one do not change it.
  @Test func credentialsInAListAreMasked() throws {
    let list = "container.image.tag=https://u:hunter2,x@h/p,k8s.pod.name=shop-1,db.password=x"
    #expect(try origin(["OTEL_RESOURCE_ATTRIBUTES": list]) == Origin(pod: "shop-1", imageTag: "https://***@h/p"))
  }

  /// What is too long is left out rather than cut: half a name is another name.
  @Test func longNamesAreLeftOut() throws {
    let long = String(repeating: "x", count: 5000)
    let variables = ["POD_NAME": long, "IMAGE_TAG": long, "OTEL_RESOURCE_ATTRIBUTES": "container.id=\(long)"]
    #expect(try origin(groups: "0::/\(long).service\n", variables) == Origin())
    #expect(try origin(groups: "0::/a\(Self.id)/\(Self.id)0\n", mounts: "/containers/\(Self.id)\n") == Origin())
  }
}

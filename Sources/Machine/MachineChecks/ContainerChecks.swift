/// What is different in a container.
struct ContainerChecks {
  let machine: Machine

  var findings: [Finding] { [kind, firstProcess, rootFolder, home] }

  /// What the container's engine left behind; nil outside of containers, as far as can be seen.
  var container: String? {
    if machine.exists("/.dockerenv") { return "Docker" }
    if machine.exists("/run/.containerenv") { return "Podman" }
    if let name = machine.variable("KUBERNETES_SERVICE_HOST") { return "Kubernetes (\(name))" }
    return machine.variable("container")
  }

  private var kind: Finding {
    let subject = "container"
    guard let container else { return .ok(subject, "none was detected", "files remain after the process ends") }
    return .note(
      subject, container, "files and reports outside of a volume are lost when the container is removed",
      "mount a volume for the reports, or set CRASHKIT_OPTIONS=output=stderr")
  }

  private var firstProcess: Finding {
    let subject = "PID 1"
    let name = machine.text("/proc/1/comm").map { String($0[...].trimmingBlanks) } ?? "unknown"
    let known = ["systemd", "init", "tini", "dumb-init", "catatonit", "docker-init", "s6-svscan", "runit", "crashsym"]
    if known.contains(name) || container == nil { return .ok(subject, name, "it reaps children and passes on signals") }
    return .note(
      subject, "\(name), which is not an init",
      "a program that runs as PID 1 cannot die by a signal: after its report it exits with status 128 + the signal's number",
      "if you do not want that status, start it with an init (docker run --init) or with crashsym run")
  }

  private var rootFolder: Finding {
    let subject = "root folder"
    let mounts = machine.text("/proc/self/mounts") ?? ""
    let options = mounts.split(separator: "\n").last { $0.split(separator: " ").dropFirst().first == "/" }?
      .split(separator: " ").dropFirst(3).first
    guard let options else { return .note(subject, "unknown", "/proc/self/mounts does not name it") }
    guard options.split(separator: ",").contains("ro") else { return .ok(subject, "can be written", "") }
    return .note(
      subject, "mounted read-only", "reports need a folder on a file system that is not read-only",
      "mount a volume and set CRASHKIT_DIRECTORY, or CRASHKIT_OPTIONS=output=stderr")
  }

  private var home: Finding {
    let subject = "HOME"
    guard let home = machine.variable(subject) else {
      return .note(
        subject, "not set", "there is no folder for reports and caches", "set HOME, or CRASHKIT_DIRECTORY")
    }
    guard machine.isFolder(home) else {
      return .note(
        subject, "\(home) is not a folder", "there is no folder for reports and caches",
        "make it, or set CRASHKIT_DIRECTORY")
    }
    return .ok(subject, home, "")
  }
}

import Glibc
import Testing

@testable import Watcher

@Suite struct ProviderTests {
  private func unavailable(_ sample: Watcher.Sample) -> Watcher.Unavailability? {
    if case .unavailable(let reason) = sample.content { reason } else { nil }
  }
  private func level(_ sample: Watcher.Sample) -> Double? {
    if case .level(let quantity) = sample.content { quantity.value } else { nil }
  }

  @Test func processorTimes() throws {
    let fake = try FakeRoot(["/proc/stat": "cpu  10 20 30 400 50 6 7 8 99 99\ncpu0 1 1 1 1\nintr 5\n"])
    #expect(Watcher.SystemCPULoad(root: fake.root).sample().content == .share(of: 81, in: 531))
    try fake.write("cpu 1 2 3 4\n", to: "/proc/stat")
    #expect(Watcher.SystemCPULoad(root: fake.root).sample().content == .share(of: 6, in: 10))
  }

  @Test(arguments: ["", "intr 5\n", "cpu  1 2\n", "cpu  a b c d\n", "cpu  18446744073709551615 1 0 0\n"])
  func processorTimesThatMakeNoSense(_ text: String) throws {
    let fake = try FakeRoot(["/proc/stat": text])
    guard case .failed = unavailable(Watcher.SystemCPULoad(root: fake.root).sample()) else {
      Issue.record("no reason for \(text)")
      return
    }
  }

  @Test func missingFilesMeanNoDevice() throws {
    let root = try FakeRoot().root
    let providers: [any Watcher.MetricProvider] = [
      Watcher.SystemCPULoad(root: root), Watcher.ContainerCPULoad(root: root), Watcher.SystemMemoryLoad(root: root),
      Watcher.ProcessMemory(root: root), Watcher.MemoryLimitLoad(root: root), Watcher.BatteryLevel(root: root),
      Watcher.DiskActivity.reads(root: root), Watcher.NetworkActivity.sent(root: root),
      Watcher.PressureStall.io(root: root), Watcher.DiskSpace(folder: root.path + "/none"),
    ]
    for provider in providers {
      guard case .noDevice = unavailable(provider.sample()) else {
        Issue.record("\(provider.metric): \(provider.sample())")
        continue
      }
    }
  }

  /// Files that this thread may not read, whoever runs the tests: access is judged by the thread's file system user.
  @Test func filesThatMayNotBeReadAreNotPermitted() throws {
    let fake = try FakeRoot()
    let files = [
      "/proc/stat", "/proc/meminfo", "/proc/self/statm", "/proc/self/io", "/proc/self/net/dev", "/proc/pressure/io",
      "/sys/class/power_supply/BAT0/type",
    ]
    for file in files {
      try fake.write("1\n", to: file)
      chmod(fake.path + file, 0)
    }
    let root = fake.root
    let providers: [any Watcher.MetricProvider] = [
      Watcher.SystemCPULoad(root: root), Watcher.SystemMemoryLoad(root: root), Watcher.ProcessMemory(root: root),
      Watcher.MemoryLimitLoad(root: root), Watcher.BatteryLevel(root: root), Watcher.DiskActivity.reads(root: root),
      Watcher.NetworkActivity.sent(root: root), Watcher.PressureStall.io(root: root),
    ]
    let samples = try asNobody { providers.map { ($0.metric, $0.sample()) } }
    for (metric, sample) in samples {
      guard case .notPermitted = unavailable(sample) else {
        Issue.record("\(metric): \(sample)")
        continue
      }
    }
  }

  private func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
    typealias SetUser = @convention(c) (UInt32) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    let before = UInt32(bitPattern: setUser(65534))
    defer { _ = setUser(before) }
    return try body()
  }

  @Test func thisMachine() throws {
    let providers: [any Watcher.MetricProvider] = [
      Watcher.SystemCPULoad(), Watcher.ProcessCPULoad(), Watcher.SystemMemoryLoad(), Watcher.ProcessMemory(),
      Watcher.MemoryLimitLoad(), Watcher.DiskSpace(),
    ]
    for provider in providers { #expect(unavailable(provider.sample()) == nil, "\(provider.metric)") }
    #expect(unavailable(Watcher.DiskSpace(folder: "/proc").sample()) == .noDevice("space on the file system of /proc"))
  }

  @Test func memory() throws {
    let fake = try FakeRoot(["/proc/meminfo": "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\n"])
    #expect(level(Watcher.SystemMemoryLoad(root: fake.root).sample()) == 0.75)
    #expect(level(Watcher.MemoryLimitLoad(root: fake.root).sample()) == 0.75)
    try fake.write("1000 50 3 4\n", to: "/proc/self/statm")
    #expect(level(Watcher.ProcessMemory(root: fake.root).sample()) == 204_800.0)
  }

  private static let mountTwo = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
  private static let mountsOne = """
    30 23 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
    31 23 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro shared:4 - cgroup cgroup rw,cpu,cpuacct

    """

  @Test func limitsOfTheSecondVersionHoldAllTheWayUp() throws {
    let fake = try FakeRoot([
      "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 250 kB\n",
      "/proc/self/mountinfo": Self.mountTwo, "/proc/self/cgroup": "0::/a/b\n",
      "/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "409600\n",
      "/sys/fs/cgroup/a/b/memory.current": "102400\n", "/sys/fs/cgroup/a/memory.current": "204800\n",
      "/sys/fs/cgroup/a/b/cpu.stat": "usage_usec 1500\nuser_usec 1\n",
      "/sys/fs/cgroup/a/b/cpu.max": "50000 100000\n", "/sys/fs/cgroup/a/cpu.max": "max 100000\n",
    ])
    #expect(level(Watcher.MemoryLimitLoad(root: fake.root).sample()) == 0.5, "all below the group that has the limit")
    #expect(Watcher.ContainerCPULoad(root: fake.root).sample().content == .count(1_500_000, scale: 2e-9))
    try fake.write("max\n", to: "/sys/fs/cgroup/a/memory.max")
    #expect(level(Watcher.MemoryLimitLoad(root: fake.root).sample()) == 0.75, "no limit but the machine's")
  }

  @Test func limitsOfTheFirstVersion() throws {
    let fake = try FakeRoot([
      "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 250 kB\n",
      "/proc/self/mountinfo": Self.mountsOne,
      "/proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "204800\n",
      "/sys/fs/cgroup/memory/memory.usage_in_bytes": "102400\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage": "77\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "25000\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    ])
    #expect(level(Watcher.MemoryLimitLoad(root: fake.root).sample()) == 0.5)
    #expect(Watcher.ContainerCPULoad(root: fake.root).sample().content == .count(77, scale: 4e-9))
  }

  @Test func aProcessThatIsMovedIsFollowed() throws {
    let fake = try FakeRoot([
      "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 250 kB\n",
      "/proc/self/mountinfo": Self.mountTwo, "/proc/self/cgroup": "0::/a\n",
      "/sys/fs/cgroup/a/memory.max": "1000\n", "/sys/fs/cgroup/a/memory.current": "100\n",
      "/sys/fs/cgroup/b/memory.max": "1000\n", "/sys/fs/cgroup/b/memory.current": "200\n",
      "/elsewhere/b/memory.max": "1000\n", "/elsewhere/b/memory.current": "300\n",
    ])
    let load = Watcher.MemoryLimitLoad(root: fake.root)
    #expect(level(load.sample()) == 0.1)
    try fake.write("0::/b\n", to: "/proc/self/cgroup")
    #expect(level(load.sample()) == 0.2)
    try fake.write(Self.mountTwo.replacing("/sys/fs/cgroup", with: "/elsewhere"), to: "/proc/self/mountinfo")
    #expect(level(load.sample()) == 0.2, "the groups are where they were")
    #expect(rename(fake.path + "/sys/fs/cgroup", fake.path + "/sys/fs/gone") == 0)
    #expect(level(load.sample()) == 0.3)
  }

  @Test func batteries() throws {
    let supplies = "/sys/class/power_supply"
    let fake = try FakeRoot([
      "\(supplies)/AC/type": "Mains\n", "\(supplies)/AC/online": "1\n",
      "\(supplies)/hid-mouse/type": "Battery\n", "\(supplies)/hid-mouse/scope": "Device\n",
      "\(supplies)/hid-mouse/capacity": "3\n",
    ])
    #expect(unavailable(Watcher.BatteryLevel(root: fake.root).sample()) == .noDevice("battery"))
    try fake.write("Battery\n", to: "\(supplies)/BAT0/type")
    try fake.write("40\n", to: "\(supplies)/BAT0/capacity")
    #expect(level(Watcher.BatteryLevel(root: fake.root).sample()) == 0.4)
    try fake.write("140\n", to: "\(supplies)/BAT0/capacity")
    #expect(unavailable(Watcher.BatteryLevel(root: fake.root).sample()) == .outOfRange(1.4))
  }

  @Test func diskAndNetworkAndPressure() throws {
    let header = "Inter-|   Receive\n face |bytes packets\n"
    let fake = try FakeRoot([
      "/proc/self/io": "rchar: 5\nread_bytes: 4096\nwrite_bytes: 8192\n",
      "/proc/self/net/dev": header + "    lo: 9 9 0 0 0 0 0 0 9 9\n  eth0:100 2 0 0 0 0 0 0 300 4 0\n",
      "/proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 total=1\n",
    ])
    #expect(Watcher.DiskActivity.reads(root: fake.root).sample().content == .count(4096, scale: 1))
    #expect(Watcher.DiskActivity.writes(root: fake.root).sample().content == .count(8192, scale: 1))
    let before = Watcher.NetworkActivity.received(root: fake.root).sample()
    #expect(before.content == .count(100, scale: 1))
    #expect(Watcher.NetworkActivity.sent(root: fake.root).sample().content == .count(300, scale: 1))
    #expect(Watcher.PressureStall.cpu(root: fake.root).sample().content == .count(1234, scale: 1e-6))
    try fake.write(header + "  eth1:100 2 0 0 0 0 0 0 300 4 0\n", to: "/proc/self/net/dev")
    #expect(Watcher.NetworkActivity.received(root: fake.root).sample().source != before.source)
  }

  @Test func filesLongerThanOneReadAreReadToTheEnd() throws {
    let lines = (0..<3000).map { "  veth\($0): 2 0 0 0 0 0 0 0 3 0\n" }
    let fake = try FakeRoot(["/proc/self/net/dev": lines.joined()])
    #expect(Watcher.NetworkActivity.received(root: fake.root).sample().content == .count(6000, scale: 1))
    #expect(Watcher.NetworkActivity.sent(root: fake.root).sample().content == .count(9000, scale: 1))
  }

  @Test func theLaunchTakesFromTheStartToTheEnd() throws {
    let launch = Watcher.LaunchTime()
    #expect(unavailable(launch.sample()) == .nothingMeasured)
    launch.finish()
    let first = level(launch.sample())
    launch.finish()
    #expect(try #require(first) > 0)
    #expect(level(launch.sample()) == first)
  }

  @Test func theStartIsReadAfterAnyProcessName() throws {
    let numbers = (4...22).map { "\($0)" }.joined(separator: " ")
    let fake = try FakeRoot(["/proc/self/stat": "7 (a) b (c) S \(numbers) 0\n"])
    #expect(try Watcher.processStart(fake.root) == 22 * 10_000_000)
  }
}

extension Watcher {
  /// A battery as `/sys/class/power_supply` has it (the kernel's Documentation/ABI/testing/sysfs-class-power).
  struct Battery {
    let name: String
    /// 0…100, as the battery says.
    let capacity: Double
    /// "Charging", "Discharging", "Full", "Not charging" or "Unknown".
    let status: String

    /// The machine's own batteries, without those of mice and keyboards.
    static func all(_ root: SystemRoot) throws(Unavailability) -> [Battery] {
      var batteries: [Battery] = []
      for name in root.names(in: "/sys/class/power_supply") {
        let folder = "/sys/class/power_supply/\(name)"
        guard try root.line("\(folder)/type") == "Battery", try root.line("\(folder)/scope") != "Device" else {
          continue
        }
        guard let text = try root.line("\(folder)/capacity") else { continue }
        guard let capacity = Double(text) else { throw .failed("\(folder)/capacity: \(text.prefix(20))") }
        let status = try root.line("\(folder)/status") ?? "Unknown"
        batteries.append(Battery(name: name, capacity: capacity, status: status))
      }
      return batteries
    }
  }
}

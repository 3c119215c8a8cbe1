import CProgramStart
import LinuxCalls

/// The arguments of this process, its name first. `CommandLine.arguments` changes bytes that are not UTF-8. Without /proc it
/// is empty.
public func commandLineArguments() -> [String] {
  var arguments: [String] = []
  var entry = program_start_arguments()
  while let text = entry?.pointee {
    arguments.append(String(systemText: text))
    entry = entry?.successor()
  }
  return arguments
}

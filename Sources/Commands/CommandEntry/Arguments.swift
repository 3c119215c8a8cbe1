import CProgramStart
import LinuxCalls

/// The arguments of this process, the program's name first. Unlike `CommandLine.arguments`, this array keeps bytes that
/// are not UTF-8. Without /proc the array is empty.
public func commandLineArguments() -> [String] {
  var arguments: [String] = []
  var entry = program_start_arguments()
  while let text = entry?.pointee {
    arguments.append(String(systemText: text))
    entry = entry?.successor()
  }
  return arguments
}

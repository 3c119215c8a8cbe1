extension CrashKit {
  /// Lists no tasks.
  ///
  /// - Throws: `TaskSearchError` with the reason `notInstalled`, always.
  public static func tasks() throws(TaskSearchError) -> LiveTasks {
    throw TaskSearchError(.notInstalled)
  }
}

extension CrashKit.TaskSearchError: CustomStringConvertible {
  /// The reason of the failure, in a few words.
  public var description: String { "CrashKit does not work on this system" }
}

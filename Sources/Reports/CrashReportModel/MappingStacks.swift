extension CrashReport {
  /// The report with each stack replaced by the result of `change`. All code that visits every stack uses this
  /// function. For the same report it visits the stacks in the same order. If a stack is missing, it stays missing.
  public func mappingStacks(_ change: ([Frame]) -> [Frame]) -> CrashReport {
    var report = self
    report.threads = threads?.map { $0.mappingStacks(change) }
    report.guarded = guarded.map { $0.mappingStacks(change) }
    report.thrown = thrown?.map { error in
      var error = error
      error.frames = error.frames.map(change)
      return error
    }
    report.tasks = tasks?.map { task in
      var task = task
      task.frames = task.frames.map(change)
      return task
    }
    report.hang?.samples = hang?.samples?.map { sample in
      var sample = sample
      sample.frames = sample.frames.map(change)
      return sample
    }
    report.violation = violation?.mappingStacks(change)
    return report
  }

  /// All stacks of the report.
  public var stacks: [[Frame]] {
    var stacks: [[Frame]] = []
    _ = mappingStacks { stack in
      stacks.append(stack)
      return stack
    }
    return stacks
  }
}

extension CrashReport.Thread {
  fileprivate func mappingStacks(_ change: ([CrashReport.Frame]) -> [CrashReport.Frame]) -> Self {
    func mapped(_ lock: CrashReport.HeldLock) -> CrashReport.HeldLock {
      var lock = lock
      lock.takenAt = lock.takenAt.map(change)
      lock.waitsAt = lock.waitsAt.map(change)
      return lock
    }
    var thread = self
    thread.frames = frames.map(change)
    thread.heldLocks = heldLocks?.map(mapped)
    thread.waitingFor = waitingFor.map(mapped)
    return thread
  }
}

extension CrashReport.Guarded {
  fileprivate func mappingStacks(_ change: ([CrashReport.Frame]) -> [CrashReport.Frame]) -> Self {
    func mapped(_ step: Step) -> Step {
      var step = step
      step.frames = step.frames.map(change)
      return step
    }
    var memory = self
    memory.allocated = allocated.map(mapped)
    memory.released = released.map(mapped)
    return memory
  }
}

extension CrashReport.Violation {
  fileprivate func mappingStacks(_ change: ([CrashReport.Frame]) -> [CrashReport.Frame]) -> Self {
    var violation = self
    violation.locks = locks?.map { lock in
      var lock = lock
      lock.origin = lock.origin.map(change)
      return lock
    }
    violation.edges = edges?.map { edge in
      var edge = edge
      edge.fromFrames = edge.fromFrames.map(change)
      edge.toFrames = edge.toFrames.map(change)
      return edge
    }
    violation.stacks = stacks?.map { stack in
      var stack = stack
      stack.frames = stack.frames.map(change)
      return stack
    }
    return violation
  }
}

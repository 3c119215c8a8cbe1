// A task with a name reads past the end of an array, on an executor that says which job it runs.
import Dispatch
import Glibc

final class SayingExecutor: TaskExecutor {
  let queue = DispatchQueue(label: "saying")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      let line = "\(job)\n"
      write(STDOUT_FILENO, line, line.utf8.count)
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}

@inline(never)
func price(of item: Int, in prices: [Int]) async -> Int {
  prices[item]  // It crashes here.
}

@main
struct Main {
  static func main() async {
    let executor = SayingExecutor()
    let task = Task.detached(name: "unwatched", executorPreference: executor) {
      await price(of: CommandLine.arguments.count + 6, in: [10, 20, 30])
    }
    exit(Int32(await task.value))
  }
}

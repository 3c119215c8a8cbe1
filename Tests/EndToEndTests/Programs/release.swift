// A thread waits for a semaphore; another reads past the end of an array.
import Dispatch

@inline(never)
func price(of item: Int, in prices: [Int]) -> Int {
  prices[item]  // It crashes here.
}

@main
struct Main {
  static func main() {
    let never = DispatchSemaphore(value: 0)
    let started = DispatchSemaphore(value: 0)
    DispatchQueue(label: "waiting").async {
      started.signal()
      never.wait()
    }
    started.wait()
    let crashed = DispatchSemaphore(value: 0)
    DispatchQueue(label: "prices").async {
      print(price(of: CommandLine.arguments.count + 10, in: [1, 2, 3]))
      crashed.signal()
    }
    crashed.wait()
  }
}

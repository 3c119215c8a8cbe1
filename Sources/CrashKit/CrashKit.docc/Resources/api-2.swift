import CrashKit

try CrashKit.install(.init(application: .init(name: "api", version: "2.1")))

func total(_ prices: [Int], of items: [Int]) -> Int {
  items.reduce(0) { $0 + prices[$1] }
}

func checkOut(_ items: [Int]) {
  print(total([5, 8, 13], of: items))
}

while let line = readLine() { checkOut(line.split(separator: " ").compactMap { Int($0) }) }

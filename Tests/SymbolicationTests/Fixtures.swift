import Foundation
import Testing

/// Small programs in several languages, compiled when a test first asks for them.
struct Fixture: Sendable, CustomTestStringConvertible {
  let name: String
  let source: String
  let fileName: String
  let command: [String]

  var testDescription: String { name }

  /// Whether the compiler is there; Rust's may not be.
  var isAvailable: Bool {
    command.first { $0 != "env" && !$0.contains("=") }.map { Tool.path(of: $0) != nil } ?? false
  }

  /// Whether it is one that an index is kept of.
  var hasBuildID: Bool { command.contains("-Wl,--build-id") }

  /// Compiles the program into a folder and gives its path. Arguments are added to the compiler's.
  func build(in folder: URL, adding arguments: [String] = [], as output: String? = nil) throws -> String {
    let sourceFile = folder.appendingPathComponent(fileName)
    if !FileManager.default.fileExists(atPath: sourceFile.path) {
      try source.write(to: sourceFile, atomically: true, encoding: .utf8)
    }
    let program = folder.appendingPathComponent(output ?? "program")
    // Some compilers leave `.dwo` files where they are started.
    _ = try Tool.run(command + arguments + [sourceFile.path, "-o", program.path], in: folder)
    return program.path
  }

  static let all: [Fixture] = [
    c, cxx, cxxDWARF4, clangC, compressed, split, clangSplit, swiftDebug, swiftRelease, rust, rustLegacy,
  ].filter(\.isAvailable)

  static let c = Fixture(
    name: "C, gcc -O2", source: cSource, fileName: "sample.c", command: ["gcc", "-O2", "-g", "-Wl,--build-id"])
  static let clangC = Fixture(
    name: "C, clang -O1, fixed address", source: cSource, fileName: "sample.c",
    command: ["clang", "-O1", "-g", "-no-pie", "-Wl,--build-id"])
  static let cxx = Fixture(
    name: "C++, g++ -O2, DWARF 5", source: cxxSource, fileName: "sample.cpp",
    command: ["g++", "-O2", "-g", "-Wl,--build-id"])
  static let cxxDWARF4 = Fixture(
    name: "C++, g++ -O1, DWARF 4", source: cxxSource, fileName: "sample.cpp",
    command: ["g++", "-O1", "-gdwarf-4", "-Wl,--build-id"])
  static let compressed = Fixture(
    name: "C++, -O2, zlib sections", source: cxxSource, fileName: "sample.cpp",
    command: ["g++", "-O2", "-g", "-gz=zlib"])
  static let split = Fixture(
    name: "C++, g++ -O2, split DWARF 5", source: cxxSource, fileName: "sample.cpp",
    command: ["g++", "-O2", "-g", "-gsplit-dwarf"])
  static let clangSplit = Fixture(
    name: "C, clang -O2, split DWARF 4", source: cSource, fileName: "sample.c",
    command: ["clang", "-O2", "-gdwarf-4", "-gsplit-dwarf"])
  /// The compiler keeps the older names for nightly use only.
  static let rustLegacy = Fixture(
    name: "Rust, -O, older names", source: rustSource, fileName: "sample.rs",
    command: [
      "env", "RUSTC_BOOTSTRAP=1", "rustc", "-O", "-g", "-Zunstable-options", "-Csymbol-mangling-version=legacy",
    ])
  static let swiftDebug = Fixture(
    name: "Swift, -Onone", source: swiftSource, fileName: "sample.swift",
    command: ["swiftc", "-Onone", "-g", "-parse-as-library"])
  static let swiftRelease = Fixture(
    name: "Swift, -O", source: swiftSource, fileName: "sample.swift",
    command: ["swiftc", "-O", "-g", "-parse-as-library"])
  static let rust = Fixture(
    name: "Rust, -O", source: rustSource, fileName: "sample.rs", command: ["rustc", "-O", "-g"])
}

private let cSource = """
  #include <stdio.h>
  #include <stdlib.h>
  struct point { int x, y; };
  static inline int square(int v) { return v * v; }
  static inline int length2(struct point p) { return square(p.x) + square(p.y); }
  __attribute__((noinline)) static int compare(const void *a, const void *b) {
    int left = length2(*(const struct point *)a), right = length2(*(const struct point *)b);
    return left < right ? -1 : left > right;
  }
  __attribute__((noinline)) void fail(const char *text) { fprintf(stderr, "%s", text); abort(); }
  int main(int argc, char **argv) {
    struct point points[8];
    for (int i = 0; i < 8; i++) points[i] = (struct point){(argc * 7 + i * 13) % 11, atoi(argv[0]) + i};
    qsort(points, 8, sizeof *points, compare);
    if (points[0].x > 100) fail("too far");
    return length2(points[3]);
  }
  """

private let cxxSource = """
  #include <algorithm>
  #include <iostream>
  #include <map>
  #include <memory>
  #include <stdexcept>
  #include <string>
  #include <vector>
  namespace shop {
  struct Item {
    virtual ~Item() = default;
    virtual double price() const = 0;
  };
  struct Book : Item {
    explicit Book(double p) : p(p) {}
    double price() const override { if (p < 0) throw std::runtime_error("negative"); return p; }
    double p;
  };
  template <typename T> T total(const std::vector<std::unique_ptr<Item>> &items, T start) {
    std::for_each(items.begin(), items.end(), [&](const auto &item) { start += item->price(); });
    return start;
  }
  }
  namespace {
  std::map<std::string, int> index(const std::vector<std::string> &words) {
    std::map<std::string, int> result;
    for (const auto &word : words) result[word]++;
    return result;
  }
  }
  int main(int argc, char **argv) {
    std::vector<std::unique_ptr<shop::Item>> items;
    for (int i = 0; i < argc + 3; i++) items.push_back(std::make_unique<shop::Book>(i * 1.5 - 1));
    std::vector<std::string> words(argv, argv + argc);
    std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
    try { std::cout << shop::total(items, 0.0) << index(words).size(); }
    catch (const std::exception &error) { std::cout << error.what(); }
  }
  """

private let swiftSource = """
  protocol Provider { func sample(_ tick: Int) async throws -> Double }
  struct CPU: Provider {
    var history: [Double]
    @inline(never) func load(_ index: Int) -> Double { history[index] / history.reduce(0, +) }
    func sample(_ tick: Int) async throws -> Double {
      try await Task.sleep(nanoseconds: UInt64(tick))
      return load(tick)
    }
  }
  enum Failure: Error { case empty(String) }
  final class Store<Key: Hashable, Value> {
    private var values: [Key: Value] = [:]
    init() {}
    func update(_ key: Key, _ make: (Value?) throws -> Value) rethrows { values[key] = try make(values[key]) }
    var count: Int { values.count }
  }
  extension Array where Element == Double {
    @inline(never) func middle() throws -> Double {
      guard !isEmpty else { throw Failure.empty("no values") }
      return sorted()[count / 2]
    }
  }
  @inline(never) func trap(_ value: Int) -> Int { value + Int.max }
  @main struct Main {
    static func main() async throws {
      let cpu: any Provider = CPU(history: [1, 2, 3])
      let store = Store<String, Int>()
      for word in CommandLine.arguments { store.update(word) { ($0 ?? 0) + word.count } }
      let values = try await withThrowingTaskGroup(of: Double.self) { group in
        for tick in 0..<3 { group.addTask { try await cpu.sample(tick) } }
        var all: [Double] = []
        for try await value in group { all.append(value) }
        return all
      }
      print(try values.middle(), store.count, CommandLine.arguments.count > 9 ? trap(1) : 0)
    }
  }
  """

private let rustSource = """
  use std::collections::HashMap;
  use std::fmt::Debug;
  trait Shape: Debug { fn area(&self) -> f64; }
  #[derive(Debug, Clone)] struct Circle { radius: f64 }
  impl Shape for Circle { #[inline(never)] fn area(&self) -> f64 { self.radius * self.radius * 3.0 } }
  #[inline(never)] fn largest<T: PartialOrd + Copy>(values: &[T]) -> Option<T> {
      values.iter().copied().fold(None, |best, value| match best { Some(b) if b > value => Some(b), _ => Some(value) })
  }
  fn main() {
      let shapes: Vec<Box<dyn Shape>> = (0..4).map(|i| Box::new(Circle { radius: i as f64 }) as Box<dyn Shape>).collect();
      let areas: Vec<f64> = shapes.iter().map(|s| s.area()).collect();
      let mut counts: HashMap<String, usize> = HashMap::new();
      for word in std::env::args() { *counts.entry(word).or_default() += 1; }
      println!("{:?} {:?} {:?}", largest(&areas), shapes, counts.len());
  }
  """

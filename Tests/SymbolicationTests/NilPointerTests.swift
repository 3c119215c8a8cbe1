import Foundation
import Testing

@testable import Symbolication

/// The pointers of machines that the tests do not run on.
@Suite struct NilPointerTests {
  private static let source = """
    struct items { int *first; long count; };
    struct customer { char name[16]; int visits; };
    struct order { long number; struct customer *customer; struct items items; };
    long parameter(struct order *order) { return order->items.count; }
    int through(struct order *order) { return order->customer->visits; }
    long element(struct order *const *orders) { return orders[3]->number; }
    """

  /// What each instruction that reads or writes memory would say if its registers were all zero.
  private func sentences(_ library: String) throws -> Set<String> {
    let file = try #require(ELFFile(path: library))
    let processor = try #require(Processor(machine: file.machine))
    let image = ImageReference(name: "library", path: library, buildID: file.buildID, baseAddress: 0)
    let sources = SymbolSources(folders: SymbolFolders([]), debuginfod: nil)
    let reader = ImageReader(ImageFiles(image, SymbolicationOptions(debugDirectories: []), sources))
    let zeros = Dictionary(uniqueKeysWithValues: processor.names.map { ($0[0], UInt64(0)) })
    var found: Set<String> = []
    var next = file.codeRange.lowerBound
    while next < file.codeRange.upperBound {
      let start = next
      next += 1
      guard let code = file.code(at: start), reader.function(at: start, EntryBudget()) != nil,
        let instruction = processor.decode(code, start)
      else { continue }
      next = start + instruction.length
      guard let operand = instruction.memory.first, operand.base != nil, operand.displacement >= 0 else { continue }
      let access = FailedAccess(address: start, target: UInt64(operand.displacement), registers: zeros)
      guard let pointer = reader.nilPointer(access), let name = pointer.name, let member = pointer.member else {
        continue
      }
      found.insert("\(name): \(pointer.offset ?? 0) \(pointer.type ?? "").\(member)")
    }
    return found
  }

  @Test(arguments: ["aarch64", "x86_64"], ["-O0", "-O2"]) func clangsCode(_ machine: String, _ level: String) throws {
    guard Tool.path(of: "clang") != nil, Tool.path(of: "ld.lld") != nil else {
      try Test.cancel("there is no clang or no lld here")
    }
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("orders.c")
      try Self.source.write(to: source, atomically: true, encoding: .utf8)
      let library = folder.appendingPathComponent("orders.so").path
      _ = try Tool.run([
        "clang", "--target=\(machine)-linux-gnu", level, "-g", "-shared", "-fPIC", "-nostdlib", "-fuse-ld=lld",
        "-Wl,--build-id=sha1", source.path, "-o", library,
      ])
      let found = try sentences(library)
      #expect(
        found.isSuperset(of: [
          "order: 24 order.items.count", "order: 8 order.customer", "order.customer: 16 customer.visits",
          "orders: 24 order *.[3]", "orders[3]: 0 order.number",
        ]), "\(found)")
      // Nothing else is behind these pointers.
      #expect(found.count == 5, "\(found)")
    }
  }
}

// Errors that are thrown, and of which the program dies.

import CrashKit
import Foundation
import Synchronization

private struct Failure: Error { var number: Int }
private struct Other: Error { var text: String }
private enum Refusal: Error { case late(Int) }

// An optimising compiler makes one function of those that differ in constants alone: each of these returns something else.
@inline(never) private func throwHere(_ number: Int) throws -> Int {
  if number > 0 { throw Failure(number: number) }
  return number
}
@inline(never) private func throwThere(_ number: Int) throws -> Int {
  if number > 0 { throw Failure(number: number) }
  return ~number
}
@inline(never) private func throwOther(_ number: Int) throws -> Int {
  if number > 0 { throw Other(text: "a text that is too long for its own word \(number)") }
  return number
}
@inline(never) private func refuse(_ number: Int) throws(Refusal) -> Int {
  if number > 0 { throw .late(number) }
  return number
}

@inline(never) private func refuseUntyped(_ number: Int) throws -> Int {
  if number > 0 { throw Refusal.late(number) }
  return number / 3
}

private actor Store {
  func load() async throws -> Int {
    try await Task.sleep(for: .milliseconds(1))
    return try throwThere(1)
  }
}

/// The error of a task that has ended, after another task threw others on whatever thread it came to.
@inline(never) private func hop() async throws -> Int {
  let store = Store()
  let loading = Task.detached(name: "loads") { try await store.load() }
  _ = await loading.result
  for _ in 0..<10 {
    _ = try? throwHere(1)
    try? await Task.sleep(for: .microseconds(100))
  }
  return try await loading.value
}

/// Where the box of an error is.
private func address(of error: any Error) -> UInt { unsafeBitCast(error as any Error, to: UInt.self) }

/// Throws some errors, frees them, and returns where they lay.
@inline(never) private func throwAndForget() -> Set<UInt> {
  var places: Set<UInt> = []
  var failures: [any Error] = []
  for number in 1...16 {
    do { _ = try throwHere(number) } catch { failures.append(error) }
  }
  for failure in failures { places.insert(address(of: failure)) }
  return places
}

/// Dies of an error that lies where one of another function lay. Prints whether such an error does.
private func useBoxAgain() {
  let places = throwAndForget()
  do { _ = try throwThere(1) } catch { print(places.contains(address(of: error)) ? "used again" : "not used again") }
  fflush(nil)
  _ = throwAndForget()
  _ = try! throwThere(2)
}

private func throwOnManyThreads() {
  let ready = DispatchSemaphore(value: 0)
  for _ in 0..<16 {
    Thread {
      for number in 1... {
        _ = try? throwOther(number)
        _ = try? throwHere(number)
        _ = try? refuse(number)
        if number == 200 { ready.signal() }
      }
    }.start()
  }
  for _ in 0..<16 { ready.wait() }
  print(try! throwThere(1))
}

/// More threads than have rings at a time, one after the other. The last one dies.
private func throwOnThreadsThatEnd() {
  for number in 1...600 {
    let ended = DispatchSemaphore(value: 0)
    Thread {
      _ = try? throwHere(number)
      if number == 600 { print(try! throwThere(number)) }
      ended.signal()
    }.start()
    ended.wait()
  }
}

/// Dies, or prints what it has seen; `HOW` is one of the cases.
func throwErrors(_ how: String) throws {
  switch how {
  case "default", "off", "before", "after": try HookOrder.run(how)
  case "many": throwOnManyThreads()
  case "ended": throwOnThreadsThatEnd()
  case "used-again": useBoxAgain()
  case "captured": captureErrors()
  case "equal": captureEqualErrors()
  case "leaves-context": try leaveContext()
  case "apart":
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      for _ in 0..<20 { await Task.yield() }
      print(try! await callOn(1))
      ended.signal()
    }
    ended.wait()
  case "class": print(try! { throw NSError(domain: "store", code: 7) }() as Int)
  case "hops":
    let ended = DispatchSemaphore(value: 0)
    Task.detached(name: "hops") {
      print(try! await hop())
      ended.signal()
    }
    ended.wait()
  default: exit(64)
  }
}

/// Captures an error after others were thrown, a typed one, and one that was never thrown.
private func captureErrors() {
  do { _ = try throwThere(7) } catch {
    _ = try? throwHere(1)
    CrashKit.withContext("GET /orders/42") { _ = try? CrashKit.capture(error: error) }
  }
  do { _ = try refuse(3) } catch { _ = try? CrashKit.capture(error: error) }
  _ = try? CrashKit.capture(error: Other(text: "password=geheim " + String(repeating: "é", count: 2000)))
}

/// After the throw it calls on with arguments on the stack: its frame pointer and its return address lie apart.
@inline(never) private func callOn(_ number: Int) async throws -> Int {
  let size = try throwThere(number)
  return await CrashKit.withContext("renders", ["size": "\(size)"]) {
    await Task.yield()
    return size
  }
}

/// Dies of an error, or captures it, that has left the context in which it was thrown.
private func leaveContext() throws {
  let many = (10..<30).map { ("key.\($0)", "outer") }
  try CrashKit.withContext("outer", Dictionary(uniqueKeysWithValues: many + [("request.id", "r-1")])) {
    try CrashKit.withContext("POST /pay", ["request.id": "r-42", "z": "1"]) { print(try throwThere(7)) }
  }
}

/// Captures errors that are equal to one of an earlier typed throw, and were never thrown or elsewhere.
private func captureEqualErrors() {
  _ = try? refuse(3)
  _ = try? CrashKit.capture(error: Refusal.late(3))
  do { _ = try refuseUntyped(4) } catch {
    _ = try? CrashKit.capture(error: error)
    _ = try? refuse(4)
    _ = try? CrashKit.capture(error: error)
  }
}

// MARK: Hooks of others

private let boxed = Atomic(0)
private let typed = Atomic(0)
nonisolated(unsafe) private var boxedBefore: (@convention(c) (UnsafeRawPointer) -> Void)?
nonisolated(unsafe) private var typedBefore:
  (@convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void)?

/// A program's own hooks for throws, put in before CrashKit's or after them, as Swift Testing does.
private enum HookOrder {
  private static func variable<Hook>(_ name: String, _ type: Hook.Type) -> UnsafeMutablePointer<Hook?> {
    guard let place = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { fatalError("\(name) is missing") }
    return place.assumingMemoryBound(to: Hook?.self)
  }

  private static var isEmpty: Bool {
    variable("_swift_willThrow", UInt.self).pointee == 0
      && variable("_swift_willThrowTypedImpl", UInt.self).pointee == 0
  }

  private static func putIn() {
    let first = variable("_swift_willThrow", (@convention(c) (UnsafeRawPointer) -> Void).self)
    boxedBefore = first.pointee
    first.pointee = { error in
      boxed.add(1, ordering: .relaxed)
      boxedBefore?(error)
    }
    let second = variable(
      "_swift_willThrowTypedImpl",
      (@convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void).self)
    typedBefore = second.pointee
    second.pointee = { value, type, conformance in
      typed.add(1, ordering: .relaxed)
      typedBefore?(value, type, conformance)
    }
  }

  static func run(_ how: String) throws {
    if how == "before" { putIn() }
    try CrashKit.install(.init(keepsThrownErrors: how == "default" ? nil : how != "off"))
    if how == "after" { putIn() }
    if how == "default" || how == "off" { return print(isEmpty ? "no hook" : "hooks") }
    _ = try? throwHere(1)
    _ = try? refuse(1)
    _ = try? refuse(2)
    print(boxed.load(ordering: .relaxed), typed.load(ordering: .relaxed))
    try CrashKit.capture("after three errors")
  }
}

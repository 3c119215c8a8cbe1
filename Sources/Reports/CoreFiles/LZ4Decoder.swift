import Glibc

/// Frames of LZ4, one after the other. liblz4 is opened when such a file comes; few machines still write any.
final class LZ4Decoder: Decoder {
  private let context: OpaquePointer
  private let library: LZ4Library
  private(set) var isAtEnd = false

  /// Nil if liblz4 is not installed.
  init?() {
    guard let library = LZ4Library.shared, let context = library.context() else { return nil }
    self.library = library
    self.context = context
  }

  deinit { _ = library.free(context) }

  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    var taken = input.count
    var made = output.count
    let result = library.decompress(context, output.baseAddress, &made, input.baseAddress, &taken, nil)
    guard library.isError(result) == 0 else { return nil }
    // A call that moves nothing speaks of the next frame, of which nothing may come.
    if taken > 0 || made > 0 { isAtEnd = result == 0 }
    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(taken))
    return made
  }
}

/// The calls of liblz4 for frames, which are the same since its version 1.8.
private struct LZ4Library: Sendable {
  /// Nil if it is not installed.
  static let shared = LZ4Library()
  private static let version: UInt32 = 100

  typealias Create = @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UInt32) -> Int
  typealias Decompress =
    @convention(c) (
      OpaquePointer, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, UnsafeRawPointer?, UnsafeMutablePointer<Int>,
      UnsafeRawPointer?
    ) -> Int

  private let create: Create
  let decompress: Decompress
  let free: @convention(c) (OpaquePointer) -> Int
  let isError: @convention(c) (Int) -> UInt32

  private init?() {
    guard let handle = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL),
      let create = dlsym(handle, "LZ4F_createDecompressionContext"), let decompress = dlsym(handle, "LZ4F_decompress"),
      let free = dlsym(handle, "LZ4F_freeDecompressionContext"), let isError = dlsym(handle, "LZ4F_isError")
    else { return nil }
    self.create = unsafeBitCast(create, to: Create.self)
    self.decompress = unsafeBitCast(decompress, to: Decompress.self)
    self.free = unsafeBitCast(free, to: (@convention(c) (OpaquePointer) -> Int).self)
    self.isError = unsafeBitCast(isError, to: (@convention(c) (Int) -> UInt32).self)
  }

  func context() -> OpaquePointer? {
    var context: OpaquePointer?
    return isError(create(&context, Self.version)) == 0 ? context : nil
  }
}

// Stands in for the server of symbols, which needs SwiftNIO and that Swift 6.1, in the build with Debian's Swift 6.0
// for aarch64. It cannot listen.

import SymbolStore

public final class SymbolServer: Sendable {
  public struct Missing: Error {}

  public init(_ store: StoreReader, host: String, port: Int, connections: Int) throws { throw Missing() }

  public var port: Int { 0 }

  public func stop() {}
}

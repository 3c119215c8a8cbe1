import CrashKit
import Testing

/// Traces as the program gives them.
@Suite struct TraceTests {
  private static let traceId = "0af7651916cd43dd8448eb211c80319c"
  private static let spanId = "b7ad6b7169203331"

  @Test(arguments: [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-00",
    "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more-of-it",
  ]) func headersAreRead(_ header: String) {
    let trace = CrashKit.Trace(traceparent: header)
    #expect(trace?.traceId == Self.traceId && trace?.spanId == Self.spanId)
  }

  @Test(arguments: [
    "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    "00-０af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  ]) func othersAreNot(_ header: String) {
    #expect(CrashKit.Trace(traceparent: header) == nil)
  }

  @Test func idsKeepTheirZeros() {
    let trace = CrashKit.Trace(traceId: "0000000000000000000000000000ABCD", spanId: "000000000000000f")
    #expect(trace?.traceId == "0000000000000000000000000000abcd" && trace?.spanId == "000000000000000f")
  }
}

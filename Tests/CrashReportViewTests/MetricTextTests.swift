import CrashReportModel
import Testing

@testable import CrashReportView

@Suite struct MetricTextTests {
  @Test(arguments: [
    (#"{"value":0.25432109,"unit":"ratio"}"#, "0.2543 ratio"),
    (#"{"value":0.5,"unit":"ratio"}"#, "0.5 ratio"),
    (#"{"value":0.000123456}"#, "0.0001235"),
    (#"{"value":12.5}"#, "12.5"),
    (#"{"value":1234.5678,"unit":"ms"}"#, "1235 ms"),
    (#"{"value":-99.99999}"#, "-100"),
    (#"{"value":0.0}"#, "0"),
    (#"{"value":9007199254740993,"unit":"bytes"}"#, "9007199254740993 bytes"),
    (#"{"value":1.5e300}"#, "1.5e300"),
    (#"{"value":"nan","unit":"ratio"}"#, "nan ratio"),
    (#"{"unit":"ratio"}"#, "no value"),
  ])
  func valuesAreShownToFourDigits(_ json: String, _ text: String) throws {
    let metric = CrashReport.Metric(fields: try JSONParser.parse(Array(json.utf8)).object)
    #expect(metric.text == text)
  }
}

"""What crashsym send hands to an OpenTelemetry collector, read by OpenTelemetry's own messages (PyPI opentelemetry-proto)."""

import json

import sending_sentry
from sending_receiver import Answer, Receiver
from sending_reports import KINDS


def decode(request):
    """The one resource and the one record of a request, by the official messages. JSON has ids in hex, which their own
    reader takes for base64."""
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    message = ExportLogsServiceRequest()
    if request.headers["content-type"] == "application/json":
        content = json.loads(request.body)
        for record in content["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
            for key in ("traceId", "spanId"):
                if key in record:
                    import base64
                    record[key] = base64.b64encode(bytes.fromhex(record[key])).decode()
        json_format.ParseDict(content, message)
    else:
        message.ParseFromString(request.body)
    (logs,) = message.resource_logs
    (scope,) = logs.scope_logs
    (record,) = scope.log_records
    return logs.resource, scope.scope, record


def values(attributes):
    return {entry.key: getattr(entry.value, entry.value.WhichOneof("value")) for entry in attributes}


def check_one(checks, products, folder, make, name, file):
    place = folder / f"otlp-{name}"
    place.mkdir()
    (place / file.name).write_bytes(file.read_bytes())
    sender = make(products / "crashsym", place)
    given = {"OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=a%20b,service.name=other"}
    with Receiver() as server:
        run = sender.send(f"otlp:{server.address}", "--unscrubbed", **given)
        binary = server.clear()
        sender.forget()
        sender.send("otlp", "--unscrubbed", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=server.address + "/in",
                    OTEL_EXPORTER_OTLP_PROTOCOL="http/json", OTEL_EXPORTER_OTLP_HEADERS="x-key=general",
                    OTEL_EXPORTER_OTLP_LOGS_HEADERS="x-key=a%20secret,x-other=1", **given)
        text = server.clear()
    if not checks.expect(run.returncode == 0 and len(binary) == len(text) == 1, f"{name}: a collector gets a record in both forms",
                         f"{run.stderr} {len(binary)} {len(text)}"):
        return
    checks.expect(binary[0].path == "/v1/logs" and binary[0].headers["content-type"] == "application/x-protobuf"
                  and text[0].path == "/in" and text[0].headers["x-key"] == "a secret" and text[0].headers["x-other"] == "1",
                  f"{name}: the variables of OpenTelemetry hold", f"{binary[0].path} {text[0].path} {text[0].headers}")
    resource, scope, record = decode(binary[0])
    other_resource, other_scope, other = decode(text[0])
    other.observed_time_unix_nano = record.observed_time_unix_nano
    checks.expect((resource, scope, record) == (other_resource, other_scope, other), f"{name}: both forms say the same",
                  f"{record} {other}")
    named = values(resource.attributes)
    checks.expect(named == {"service.name": "shop", "deployment.environment": "a b"}, f"{name}: the resource", named)
    report = json.loads(file.read_text())
    found = values(record.attributes)
    checks.expect(record.event_name == "app.crash" and scope.name == "crashkit" and len(found) == len(record.attributes)
                  and len(found["app.crash.id"]) == 32 and found["process.pid"] == report["process"]["pid"]
                  and record.body.string_value and record.time_unix_nano > 10**18, f"{name}: the record", record)
    if name in KINDS:
        checks.expect(record.severity_number == 21 and record.severity_text == "FATAL"
                      and found["exception.type"] == report["signal"]["name"] and found["exception.message"]
                      and KINDS[name] in found["exception.stacktrace"] and found["code.line.number"] > 0
                      and found["crashkit.fingerprint"].startswith("2-"), f"{name}: the fault", found)
    trace = report.get("context", {}).get("trace", {})
    valid = len(trace.get("traceId", "")) == 32 and name != "hostile"
    checks.expect(record.trace_id == (bytes.fromhex(trace["traceId"]) if valid else b"") or name == "hostile",
                  f"{name}: the trace", record.trace_id)


def answers(checks, products, folder, make):
    from sending import report
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
    partial = ExportLogsServiceResponse()
    partial.partial_success.rejected_log_records = 1
    partial.partial_success.error_message = "too old"
    cases = [("a partial success", Answer(200, {"Content-Type": "application/x-protobuf"}, partial.SerializeToString()), 65),
             ("one in JSON", Answer(200, {"Content-Type": "application/json"},
                                    b'{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}'), 65),
             ("an empty answer", Answer(200, {"Content-Type": "application/x-protobuf"}, b""), 0),
             ("a warning", Answer(200, {"Content-Type": "application/json"}, b'{"partialSuccess":{"errorMessage":"slow"}}'), 0),
             ("400", Answer(400), 65), ("500", Answer(500), 65), ("503", Answer(503), 75), ("502", Answer(502), 75),
             ("429", Answer(429, {"Retry-After": "60"}), 75), ("401", Answer(401), 75)]
    for number, (name, answer, status) in enumerate(cases):
        place = folder / f"otlp-answer-{number}"
        place.mkdir()
        file, text = report(number)
        (place / file).write_text(text)
        with Receiver(lambda request, number: answer) as server:
            run = make(products / "crashsym", place).send(f"otlp:{server.address}/v1/logs")
            checks.expect(run.returncode == status and server.requests[0].path == "/v1/logs", f"OTLP: {name}: status {status}",
                          f"{run.returncode} {run.stderr}")


def check(checks, products, folder, make, reports):
    if reason := sending_sentry.readers():
        return checks.skip("what a collector gets", reason)
    place = folder / "otlp"
    place.mkdir()
    for name, file in reports.items():
        check_one(checks, products, place, make, name, file)
    answers(checks, products, place, make)

import Testing

/// Tests that run programs and let them die. One after the other: two at a time would only measure each other's load.
@Suite(.serialized)
enum EndToEnd {}

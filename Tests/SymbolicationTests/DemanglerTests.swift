import Testing

@testable import Symbolication

@Suite struct DemanglerTests {
  @Test(
    arguments: [
      ("$s1a1PV1fyS2iF", "P.f(_:)", "a.P.f(Swift.Int) -> Swift.Int"),
      (
        "$s1a1RV1gSiyYaKFTY0_", "R.g()",
        "(1) suspend resume partial function for a.R.g() async throws -> Swift.Int"
      ),
      ("$s1a3genyxSgSayxGSLRzlFSS_Tg5", "gen(_:) [specialized]", nil),
      ("$s1a1RVAA1QA2aDP1gSiyYaKFTW", "R.g() [witness of Q]", nil),
      ("_ZN3foo3barEv", "foo::bar()", "foo::bar()"),
      ("_ZN3foo3barEv.cold", "foo::bar()", "foo::bar() [clone .cold]"),
      ("compare.constprop.0", "compare", "compare.constprop.0"),
      ("main", "main", "main"),
      ("clone@@GLIBC_2.2.5", "clone", "clone"),
      ("_ZSt9terminatev@GLIBCXX_3.4", "std::terminate()", "std::terminate()"),
      ("$s3topySicfU_", "closure #1 in top-level code", nil),
      (
        "_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place",
        "core::ptr::drop_in_place::h0123456789abcdef"
      ),
      (
        "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
        "<Test + 'static as foo::Bar<Test>>::bar", nil
      ),
      ("_RNvC6_123foo3bar", "123foo::bar", nil),
      ("_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function", nil),
      ("_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE", "std::mem::align_of::<std::mem::Discriminant>", nil),
      ("_RNCNvC3foo3bar0", "foo::bar::{closure#0}", nil),
      ("_RNvMC0INtC4main3FooRlE3bar", "<main::Foo<&i32>>::bar", nil),
      ("_RINvC3foo3barKj10_Kb1_RNtC3foo1SE", "foo::bar::<16, true, &foo::S>", nil),
      ("_RNvC7mycrateu8gdel_5qa", "mycrate::gödel", nil),
    ] as [(String, String, String?)])
  func names(_ mangled: String, _ short: String, _ full: String?) {
    #expect(Demangler.demangle(mangled, full: false) == short)
    if let full { #expect(Demangler.demangle(mangled, full: true) == full) }
  }

  @Test(arguments: [
    "", "_Z", "_ZN", "$s", "_R", "_RB_", "_RNvB_3foo", "_RNvC99999999999999999999a", "$s999999x",
    "_RTTTTTTTTTT", "_RNvCs_", "_RNvC3foo", "_RIC3foo",
  ])
  func textThatIsNotANameStaysAsItIs(_ text: String) {
    #expect(Demangler.demangle(text, full: true) == text)
  }

  @Test func longAndDeepNamesEnd() {
    let deep = "_R" + String(repeating: "NvB_", count: 5_000)
    #expect(Demangler.demangle(deep, full: false) == deep)
    let long = "$s" + String(repeating: "1aV", count: 100_000)
    #expect(Demangler.demangle(long, full: false) == long)
  }

  @Test(arguments: [
    ("$s4main4workyyF", false), ("$sSa4mainE5twiceyyF", false), ("$s4main3CPUV4load5indexSdSi_tF", false),
    ("$s4main3CPUVACycfC", false), ("$sSa6appendyyxnF", true), ("$s4main3CPUVWOh", true),
    ("$s1a1RVAA1QA2aDP1gSiyYaKFTW", true), ("$s1a3genyxSgSayxGSLRzlFSS_Tg5", false),
    ("$s7NIOCore10FileRegionV11readerIndexSivpACTK", true), ("$sIeAgH_s5Error_pIegHzo_TR", true),
    ("$s11Hummingbird14FileMiddlewareV03GetB16AttributesAction33_C0746E7E1F0726ABCC7E821833DC756CLLOwcp", true),
    ("swift_retain", true), ("_dispatch_call_block_and_release", true),
    ("main", false), ("_start", true), ("_ZNSt6vectorIiSaIiEE9push_backERKi", true), ("_ZN4shop4sellEv", false),
    ("_ZL23completeTaskWithClosurePN5swift12AsyncContextEPNS_10SwiftErrorE", true),
    ("_ZN4core3fmt5write17h0123456789abcdefE", true), ("_ZN3app4main17h0123456789abcdefE", false),
  ])
  func ownCodeAndRuntime(_ mangled: String, _ isRuntime: Bool) {
    let short = Demangler.demangle(mangled, full: false)
    #expect(FrameClassifier.isRuntimeFunction(mangled: mangled, short: short) == isRuntime)
  }
}

import Testing

@testable import Symbolication

/// Every kind of mangled name that occurs among the functions of a Hummingbird server, with what is shown for it.
@Suite struct ReadableSwiftNameTests {
  @Test(
    arguments: [
      ("$s13Configuration9ConfigKeyVSQAASQ2eeoiySbx_xtFZTW", "static ConfigKey.==(_:_:) [witness of Equatable]"),
      (
        "$s11DequeModule0A0VyxGSlAASly11SubSequenceQzSny5IndexQzGcigTW",
        "Deque.subscript.getter [witness of Collection]"
      ),
      (
        "$s15HummingbirdCore12HTTP1ChannelVAA011ServerChildD0A2aDP6handle5value6loggery5ValueQz_7Logging6Logg"
          + "erVtYaFTW",
        "HTTP1Channel.handle(value:logger:) [witness of ServerChildChannel]"
      ),
      (
        "$s11CoreMetrics09MultiplexB7HandlerC10MuxCounter33_5A3C40C2646077B8D814F0D76D84FE01LLCAA0fD0A2aGP5re"
          + "setyyFTWTm",
        "MultiplexMetricsHandler.MuxCounter.reset() [witness of CounterHandler]"
      ),
      (
        "$s8NIOPosix11PipeChannelC6socket6parent9eventLoop13recvAllocatorAcA0B4PairC_7NIOCore0C0_pSgAA015Sele"
          + "ctableEventG0CAJ014RecvByteBufferI0_ptKcfCAA016BaseStreamSocketC0CAdefgQyxGx_AlnjO_ptKcfCTV",
        "PipeChannel.init(socket:parent:eventLoop:recvAllocator:) [vtable thunk]"
      ),
      ("$sSE6encode2toys7Encoder_p_tKFTj", "Encodable.encode(to:) [dispatch thunk]"),
      (
        "$s15HummingbirdCore7RequestVxAA8ResponseVs5Error_pIgHnnrzo_ACxAEsAF_pIegHnnozo_0A00C7ContextRzAG12Fi"
          + "leProviderR_AG0g10MiddlewareG10Attributes0gJ0Rp_r0_lTR",
        "thunk for (Request, A) async throws -> Response"
      ),
      (
        "$sSRy13SystemPackage0A4CharVGxs5Error_pIgyrzo_ADxsAE_pIegyrzr_lTRTA",
        "thunk for (UnsafeBufferPointer<SystemChar>) throws -> A [partial apply]"
      ),
      ("$sIeAgH_s5Error_pIegHzo_TR", "thunk for () async -> ()"),
      (
        "$s7NIOCore14ChannelOptionsV7StorageV6append3key5valueyx_5ValueQztAA0B6OptionRzlF7applierL_yAA15Event"
          + "LoopFutureCyytGAaK_p_s8Sendable_ptcAA0B0_pYbAaKRzlFAoaK_p_sAP_ptcfU_AC5TypesO022AllowRemoteHalfClosu"
          + "reI0V_Tg5TA",
        "closure #1 in applier(_:) in ChannelOptions.Storage.append(key:value:) [specialized, partial apply]"
      ),
      (
        "$s8NIOPosix15ServerBootstrapC4bind2to26serverBackPressureStrategy23childChannelInitializer7NIOCore08"
          + "NIOAsyncK0Vyxs5NeverOGAA12VsockAddressV_AH0n16SequenceProducergH10StrategiesO16HighLowWatermarkVSgAH"
          + "15EventLoopFutureCyxGAH0K0_pYbctYaKs8SendableRzlF04makeK0L_yAA0b6SocketK0CAA010SelectablexY0C_AH0xY5"
          + "Group_pSbtKsAYRzlF",
        "makeChannel(_:_:_:) in ServerBootstrap.bind(to:serverBackPressureStrategy:childChannelInitializer:)"
      ),
      (
        "$s13SystemPackage8FilePathV9removeAll15keepingCapacityySb_tF6$deferL_yyF",
        "defer in FilePath.removeAll(keepingCapacity:)"
      ),
      (
        "$s17HummingbirdServer10makeRouter0A00D0CyAC19BasicRequestContextVGyFSS0A4Core0F0V_AGtYaYbKcfU3_",
        "closure #5 in makeRouter()"
      ),
      ("$s7NIOCore19ByteBufferAllocatorVACycfcSvSgSicfU_To", "closure #1 in ByteBufferAllocator.init() [thunk]"),
      (
        "$s18OrderedCollections0A3SetV5_move7members2to10applyingToyqd___SiySRySiG_AHSbSitXEt7ElementQyd__Rsz"
          + "STRd__lFfA1_yAH_AHSbSitcfU_",
        "closure #1 in default value of 'applyingTo' in OrderedSet._move(members:to:applyingTo:)"
      ),
      (
        "$s11Hummingbird6FileIOV10threadPoolAC8NIOPosix09NIOThreadE0C_tcfcfA_",
        "default value of 'threadPool' in FileIO.init(threadPool:)"
      ),
      ("$s11UnixSignals0A6SignalV6sigint_WZ", "initialization of sigint"),
      (
        "$s14_NIOFileSystem010globalFileB033_97606CC44DD388A7A0ACB673C9544C50LLAA0dB0Vvau",
        "access to globalFileSystem"
      ),
      (
        "$s11CoreMetrics4LockC5mutex33_C5ECA3C12C45284FDBA06B3911AD2763LLSpySo08pthread_D2_taGvpfi",
        "initial value of Lock.mutex"
      ),
      ("$s7NIOCore10FileRegionV11readerIndexSivpACTK", "FileRegion.readerIndex [key path getter]"),
      (
        "$s8NIOPosix19SelectableEventLoopC20_succeededVoidFuture7NIOCore0cdG0CyytGSgvW",
        "SelectableEventLoop._succeededVoidFuture.didSet"
      ),
      ("$s15AsyncAlgorithms0A14Chain2SequenceV8IteratorV5base10aE0QzSgvM", "AsyncChain2Sequence.Iterator.base1.modify"),
      (
        "$s15HummingbirdCore6ServerC5stateAC5StateOyx_GvWSDySS7Logging6LoggerV13MetadataValueOGSgyXEfu0_",
        "implicit closure #2 in Server.state.didSet"
      ),
      ("$sSays10ArraySliceVyxGSnySiGcigTf4nn_g", "Array.subscript.getter [specialized]"),
      ("$s16ServiceLifecycle23GracefulShutdownManagerCfD", "GracefulShutdownManager.deinit"),
      (
        "$s9NIOExtras30CollectAcceptedChannelsHandler33_15131B0A1C2B96335CB419BAF83D55DELLC16channelCollector"
          + "AdA07ChannelO0ACLLC_tcfC",
        "CollectAcceptedChannelsHandler.init(channelCollector:)"
      ),
      ("$s10_NIOBase6411Base64ErrorO21__derived_enum_equalsySbAC_ACtFZ", "static Base64Error.==(_:_:)"),
      (
        "$s11DequeModule07_UnsafeA6HandleVAARi_zrlE15uncheckedSwapAtyySi_SitF",
        "_UnsafeDequeHandle.uncheckedSwapAt(_:_:)"
      ),
      ("$ss1loiySbx_q_q0_t_x_q_q0_ttSLRzSLR_SLR0_r1_lF", "<(_:_:)"),
      ("$s11CoreMetrics0B7Factory_pWOc", "outlined copy of MetricsFactory"),
      (
        "$s7NIOCore12RepeatedTaskCAA15EventLoopFutureCyytGIeghgo_SgWOh",
        "outlined destroy of ((RepeatedTask) -> EventLoopFuture<()>)?"
      ),
      (
        "$s11Hummingbird14FileMiddlewareV03GetB16AttributesAction33_C0746E7E1F0726ABCC7E821833DC756CLLOwcp",
        "value witness: copy FileMiddleware.GetFileAttributesAction"
      ),
      ("$s10_NIOBase6411Base64ErrorOMa", "type metadata accessor for Base64Error"),
    ] as [(String, String)])
  func kinds(_ mangled: String, _ readable: String) {
    #expect(Demangler.demangle(mangled, full: false) == readable)
  }

  @Test(
    arguments: [
      ("Foo.bar()", "Foo.bar()", nil),
      ("Foo.bar() [specialized, partial apply]", "Foo.bar()", "specialized, partial apply"),
      ("[]", "[]", nil),
    ] as [(String, String, String?)])
  func notesAreSeparatedFromTheFunction(_ text: String, _ function: String, _ notes: String?) {
    let parts = ReadableSwiftName.parts(of: text)
    #expect(parts.function == function)
    #expect(parts.notes.map(String.init) == notes)
  }

  @Test(arguments: [
    "", " ", "closure #", "closure #1 in ", "$defer #1", "a #1 (", "<", "<A", "@", "thunk for @", "x [", " ]",
  ])
  func truncatedNamesAreNotChanged(_ text: String) {
    _ = ReadableSwiftName(short: text).text
  }

  @Test func deepTypesAreLeftAsTheyAre() {
    let text = "thunk for @a " + String(repeating: "(", count: 500) + String(repeating: ")", count: 500)
    #expect(ReadableSwiftName(short: text).text == text)
  }
}

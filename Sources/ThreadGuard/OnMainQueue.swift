extension ThreadGuard {
  /// A property that you may read and write only on the main queue or on the main actor's executor.
  ///
  /// ```swift
  /// @ThreadGuard.OnMainQueue var title = ""
  /// ```
  ///
  /// A violation names the line of the declaration, and the violation's stack shows the access. In builds without the
  /// checks, the wrapper only holds the value.
  @propertyWrapper
  public struct OnMainQueue<Value> {
    @usableFromInline var value: Value
    #if THREADGUARD
      @usableFromInline let place: Place
    #endif

    /// Sets the first value. Each violation names the place of the declaration.
    @inlinable
    public init(
      wrappedValue: Value, function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
    ) {
      value = wrappedValue
      #if THREADGUARD
        place = Place(function, file, line)
      #endif
    }

    /// The value. Each access checks that it is on the main queue.
    @inlinable public var wrappedValue: Value {
      get {
        check()
        return value
      }
      _modify {
        check()
        yield &value
      }
    }

    @inlinable
    func check() {
      #if THREADGUARD
        ThreadGuard.assertMainQueue(function: place.function, file: place.file, line: place.line)
      #endif
    }
  }
}

extension ThreadGuard.OnMainQueue: Sendable where Value: Sendable {}

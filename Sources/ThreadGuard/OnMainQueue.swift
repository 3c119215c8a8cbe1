extension ThreadGuard {
  /// A property that is read and written on the main queue only, or on the main actor's executor.
  ///
  /// ```swift
  /// @ThreadGuard.OnMainQueue var title = ""
  /// ```
  ///
  /// A violation names the line of the declaration; its stack shows the access. Where the checks are left out, this is
  /// the value and nothing else.
  @propertyWrapper
  public struct OnMainQueue<Value> {
    @usableFromInline var value: Value
    #if THREADGUARD
      @usableFromInline let place: Place
    #endif

    /// Takes the first value. The wrapper names the place where it stands in each finding.
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

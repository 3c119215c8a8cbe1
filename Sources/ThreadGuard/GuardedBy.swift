#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// A lock that knows whether the calling thread holds it.
  public protocol HeldLock {
    /// Whether the calling thread holds the lock; `nil` if that is not known.
    var isHeldByCurrentThread: Bool? { get }
  }

  /// A value that you may read and write only while you hold its lock.
  ///
  /// ```swift
  /// final class Store {
  ///   let lock = ThreadGuard.GuardedLock("store")
  ///   @ThreadGuard.GuardedBy(\Store.lock) var entries: [String: Int] = [:]
  /// }
  /// ```
  ///
  /// In a class you name the lock with a key path; elsewhere you pass the lock itself. A violation names the line of
  /// the declaration, and the violation's stack shows the access. If the lock does not know its holder, ThreadGuard
  /// reports nothing. In builds without the checks, the wrapper only holds the value.
  @propertyWrapper
  public struct GuardedBy<Value> {
    @usableFromInline var value: Value
    #if THREADGUARD
      @usableFromInline let isHeld: (Any?) -> Bool?
      @usableFromInline let place: Place
    #endif

    /// Guards a value with an existing lock.
    @inlinable
    public init(
      wrappedValue: Value, _ lock: @autoclosure () -> some HeldLock, function: StaticString = #function,
      file: StaticString = #fileID, line: UInt = #line
    ) {
      value = wrappedValue
      #if THREADGUARD
        let lock = lock()
        isHeld = { _ in lock.isHeldByCurrentThread }
        place = Place(function, file, line)
      #endif
    }

    /// Guards a property of a class with a lock of the same object.
    @inlinable
    public init<Owner: AnyObject>(
      wrappedValue: Value, _ path: @autoclosure () -> KeyPath<Owner, some HeldLock>,
      function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
    ) {
      value = wrappedValue
      #if THREADGUARD
        let path = path()
        isHeld = { owner in (owner as? Owner)?[keyPath: path].isHeldByCurrentThread }
        place = Place(function, file, line)
      #endif
    }

    /// The value. Each access checks that the current thread holds the lock.
    @inlinable public var wrappedValue: Value {
      get {
        check(in: nil)
        return value
      }
      _modify {
        check(in: nil)
        yield &value
      }
    }

    /// The compiler calls this subscript for a property of a class.
    @inlinable
    public static subscript<Owner: AnyObject>(
      _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
      storage storage: ReferenceWritableKeyPath<Owner, GuardedBy>
    ) -> Value {
      get {
        owner[keyPath: storage].check(in: owner)
        return owner[keyPath: storage].value
      }
      _modify {
        owner[keyPath: storage].check(in: owner)
        yield &owner[keyPath: storage].value
      }
    }

    @inlinable
    func check(in owner: Any?) {
      #if THREADGUARD
        if isHeld(owner) == false { ThreadGuard.reportUnguarded(Value.self, place) }
      #endif
    }
  }
}

/// A mutex, rwlock or spinlock of libc, by its address.
extension UnsafeMutablePointer: ThreadGuard.HeldLock {
  /// Whether the current thread holds the lock at this address; `nil` if ThreadGuard does not know.
  public var isHeldByCurrentThread: Bool? {
    #if THREADGUARD
      let held = ctg_holds_lock(self)
      return held < 0 ? nil : held == 1
    #else
      return nil
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func reportUnguarded(_ type: Any.Type, _ place: Place) {
      report(
        Violation(
          CTG_RULE_LOCK_NOT_HELD,
          message: "\(place.function) of type \(type) is accessed without its lock, on \(whereabouts)",
          expected: "its lock held", actual: "not held by this thread", at: place))
    }
  }
#endif

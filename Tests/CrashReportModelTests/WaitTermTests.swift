import CReportTerms
import Testing

/// What code and memory say of a wait, byte by byte: of other processors and of hostile objects too.
@Suite struct WaitTermTests {
  private func tailCalls(_ processor: term_processor, _ code: [UInt8], at address: UInt64) -> [UInt64] {
    var targets = [UInt64](repeating: 0, count: Int(TERM_TAIL_CALLS_MAX))
    let count = term_tail_calls(processor, code, code.count, address, &targets)
    return Array(targets.prefix(count))
  }

  @Test func jumpsOutOfAFunctionAreFound() {
    // mov %rbx,%rdi; pop %rbx; jmp 0x90d00: the end of sem_wait in Debian 12.
    let code: [UInt8] = [0x48, 0x89, 0xdf, 0x5b, 0xe9, 0x07, 0xff, 0xff, 0xff]
    #expect(tailCalls(TERM_X86_64, code, at: 0x90df0) == [0x90d00])
    // b +8 stays inside, b -0x100 does not; mov x0, x19 is none.
    let words: [UInt32] = [0xaa13_03e0, 0x1400_0002, 0xd503_201f, 0x17ff_ffc0]
    let arm = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    #expect(tailCalls(TERM_AARCH64, arm, at: 0x1000) == [0xf0c])
  }

  @Test func jumpsAreCountedOnceUpToTheLimit() {
    let same: [UInt8] = [0xe9, 0x00, 0x10, 0, 0, 0xe9, 0xfb, 0x0f, 0, 0]
    #expect(tailCalls(TERM_X86_64, same, at: 0x1000) == [0x2005])
    let many = (0..<100).flatMap { [0xe9, UInt8($0), 0x10, 0, 0] as [UInt8] }
    #expect(tailCalls(TERM_X86_64, many, at: 0x1000).count == Int(TERM_TAIL_CALLS_MAX))
    #expect(tailCalls(TERM_X86_64, [0xe9, 0, 0, 0], at: .max).isEmpty)
    #expect(tailCalls(TERM_X86_64, [0xe9, 0xff, 0xff, 0xff, 0x7f], at: .max).count == 1)
    #expect(tailCalls(TERM_AARCH64, [], at: 0).isEmpty)
  }

  @Test func aCallOfDispatchSyncNamesItselfAndItsThread() {
    let word: UInt64 = 0x7000_0000_1060
    var words = [UInt64](repeating: 0, count: TERM_SYNC_WORDS)
    words[5] = word - 96
    words[7] = 0xcafe
    words[12] = 42 << 32 | 0xffff_ffff
    #expect(term_sync_queue(words, word, 42) == 0xcafe)
    #expect(term_sync_queue(words, word, 43) == 0)
    words[5] += 8
    #expect(term_sync_queue(words, word, 42) == 0)
  }

  @Test func aQueueHasANumber() {
    var words = [UInt64](repeating: 0, count: TERM_QUEUE_WORDS)
    var queue = term_queue()
    #expect(!term_queue_read(words, &queue))
    words[3] = 0x1000
    words[7] = 0xffff_ffff_c000_002a
    words[8] = 7
    words[9] = 0x2000
    #expect(term_queue_read(words, &queue))
    #expect(queue.target == 0x1000 && queue.owner == 42 && queue.label == 0x2000)
    words[8] = .max
    #expect(!term_queue_read(words, &queue))
  }

  @Test func groupsAndSemaphoresAreInNoList() {
    var group = [UInt64](repeating: 0, count: TERM_GROUP_WORDS)
    group[2] = 0xffff_ffff_89ab_cdef
    group[6] = 5 << 32 | 0xffff_fffd
    #expect(term_is_group(group, 5))
    #expect(!term_is_group(group, 6))
    group[6] &= ~1
    #expect(!term_is_group(group, 5))
    var semaphore = [UInt64](repeating: 0, count: TERM_SEMAPHORE_WORDS)
    semaphore[2] = group[2]
    #expect(!term_is_dispatch_semaphore(semaphore))
    semaphore[6] = UInt64(bitPattern: -1)
    #expect(term_is_dispatch_semaphore(semaphore))
    semaphore[2] = 0
    #expect(!term_is_dispatch_semaphore(semaphore))
  }

  /// Robust: the owner is in the lock. Inheriting and protected: not read. Free: nobody.
  @Test func theOwnerOfAMutexDependsOnItsKind() {
    #expect(term_owner(TERM_WAIT_MUTEX, [2, 0, 42, 1, 0]) == 42)
    #expect(term_owner(TERM_WAIT_MUTEX, [0x8000_002b, 0, 42, 1, 0x10]) == 43)
    #expect(term_owner(TERM_WAIT_MUTEX, [2, 0, 42, 1, 0x40]) == 0)
    #expect(term_owner(TERM_WAIT_MUTEX, [0, 0, 42, 1, 0]) == 0)
  }

  /// Swift's once has its lock behind the word that says that it is done; libdispatch's is one word.
  @Test func theMeaningOfAFutexDependsOnTheFunctionAndTheOperation() {
    let (wait, lock, bits): (UInt64, UInt64, UInt64) = (0x80, 0x86, 0x89)
    #expect(term_wait_in_futex(TERM_WAIT_ONCE, lock) == TERM_WAIT_ONCE)
    #expect(term_wait_lock(TERM_WAIT_ONCE, lock, 0x1004) == 0x1000)
    #expect(term_wait_lock(TERM_WAIT_ONCE, wait, 0x1000) == 0x1000)
    #expect(term_wait_in_futex(TERM_WAIT_NONE, lock) == TERM_WAIT_INHERITING_MUTEX)
    #expect(term_wait_in_futex(TERM_WAIT_NONE, wait) == TERM_WAIT_NONE)
    #expect(term_wait_in_futex(TERM_WAIT_OWNERLESS_MUTEX, wait) == TERM_WAIT_OWNERLESS_MUTEX)
    #expect(term_wait_in_futex(TERM_WAIT_OWNERLESS_MUTEX, bits) == TERM_WAIT_NONE)
    #expect(term_wait_in_futex(TERM_WAIT_WORK_ITEM, wait) == TERM_WAIT_NONE)
    #expect(term_wait_in_futex(TERM_WAIT_CONDITION, wait) == TERM_WAIT_MUTEX)
    #expect(term_wait_in_futex(TERM_WAIT_SEMAPHORE, bits) == TERM_WAIT_SEMAPHORE)
  }
}

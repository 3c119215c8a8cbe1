import Synchronization

/// Calls that wait for the test to answer them, in whatever order it likes.
final class Scripted<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
  private struct State {
    var asked: [Question] = []
    var open: [Question: [CheckedContinuation<Answer, any Error>]] = [:]
    var waiting: [Question: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Mutex(State())

  /// What was asked so far, in order.
  var asked: [Question] { state.withLock { $0.asked } }

  func ask(_ question: Question) async throws -> Answer {
    try await withCheckedThrowingContinuation { answer in
      let waiting = state.withLock { state in
        state.asked.append(question)
        state.open[question, default: []].append(answer)
        return state.waiting.removeValue(forKey: question) ?? []
      }
      for waiter in waiting { waiter.resume() }
    }
  }

  /// Answers the oldest open call for the question, once there is one.
  func answer(_ question: Question, with result: Result<Answer, any Error>) async {
    await isAsked(question)
    state.withLock { $0.open[question]!.removeFirst() }.resume(with: result)
  }

  /// Returns once a call for the question is open.
  func isAsked(_ question: Question) async {
    await withCheckedContinuation { tell in
      state.withLock { state in
        if state.open[question]?.isEmpty == false {
          tell.resume()
        } else {
          state.waiting[question, default: []].append(tell)
        }
      }
    }
  }
}

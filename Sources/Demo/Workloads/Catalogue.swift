/// Every workload, in the order in which they are listed and run.
public enum Catalogue {
  public static let workloads: [any Workload.Type] = [
    WatcherWorkload.self,
    BackgroundLayoutWorkload.self,
    StoreCallbackWorkload.self,
    CatFactsWorkload.self,
    SearchUserWorkload.self,
    KnownStatusWorkload.self,
    DeadlockWorkload.self,
    MutexDeadlockWorkload.self,
    InversionWorkload.self,
    AwaitLockWorkload.self,
    RaceWorkload.self,
    HangWorkload.self,
    StarvedPoolWorkload.self,
    ActorNeverReturnsWorkload.self,
    StuckContinuationWorkload.self,
    BlockedEventLoopWorkload.self,
  ]

  public static func named(_ name: String) -> (any Workload.Type)? { workloads.first { $0.name == name } }
}

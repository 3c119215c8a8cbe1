/// Watches a program's resources and response times: CPU, memory, battery, disks, network, pressure, its launch and the
/// answers of the services that it calls.
///
/// A provider takes samples. A manager asks it at regular intervals, compares each reading with a threshold and informs
/// the listeners. A reading is always finite, or says why there is no value.
public enum Watcher {}

/// Watches what a program uses and how it fares: CPU, memory, battery, disks, network, pressure, its launch and the
/// answers of the services that it calls.
///
/// A provider takes samples, a manager takes them at a steady pace, compares each reading with a threshold and tells
/// whoever listens. Readings are finite by construction: where there is nothing to tell, a reading says why.
public enum Watcher {}

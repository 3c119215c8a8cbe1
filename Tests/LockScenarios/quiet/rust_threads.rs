// Threads of Rust with its own locks, which libc never sees, and a child process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, RwLock};
use std::thread;

const THREADS: usize = 8;
const ROUNDS: usize = 20_000;

static ONCE: Once = Once::new();
static CALLS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let counts = Arc::new((Mutex::new(0usize), RwLock::new(HashMap::<usize, usize>::new())));
    let turn = Arc::new((Mutex::new(0usize), Condvar::new()));
    let barrier = Arc::new(Barrier::new(THREADS));
    let (sender, receiver) = mpsc::channel();

    let threads: Vec<_> = (0..THREADS)
        .map(|own| {
            let (counts, turn, barrier, sender) = (counts.clone(), turn.clone(), barrier.clone(), sender.clone());
            thread::Builder::new()
                .name(format!("worker {own}"))
                .spawn(move || {
                    ONCE.call_once(|| {
                        CALLS.fetch_add(1, Ordering::Relaxed);
                    });
                    barrier.wait();
                    for round in 0..ROUNDS {
                        let mut total = counts.0.lock().unwrap();
                        *total += 1;
                        *counts.1.write().unwrap().entry(round % 64).or_default() += 1;
                    }
                    for _ in 0..100 {
                        let mut now = turn.1.wait_while(turn.0.lock().unwrap(), |now| *now % THREADS != own).unwrap();
                        *now += 1;
                        turn.1.notify_all();
                    }
                    sender.send(own).unwrap();
                })
                .unwrap()
        })
        .collect();
    drop(sender);
    for thread in threads {
        thread.join().unwrap();
    }
    let sum: usize = receiver.iter().sum();
    let held: usize = counts.1.read().unwrap().values().sum();
    // A child, with what that takes.
    let child = std::process::Command::new("/bin/echo").arg("child").output().unwrap();
    println!("{} {held} {} {sum}", counts.0.lock().unwrap(), turn.0.lock().unwrap());
    print!("{} {}", CALLS.load(Ordering::Relaxed), String::from_utf8(child.stdout).unwrap());
}

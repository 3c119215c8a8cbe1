// A thread waits for a channel; the main thread writes to a device register that is not there.
use std::sync::mpsc;
use std::thread;

#[inline(never)]
unsafe fn write_register(base: *mut u32, value: u32) {
    std::ptr::write_volatile(base, value); // It crashes here.
}

fn main() {
    let (_keep, never) = mpsc::channel::<()>();
    let (started, wait_for_start) = mpsc::channel();
    thread::Builder::new()
        .name("receiver".into())
        .spawn(move || {
            started.send(()).unwrap();
            never.recv().unwrap();
        })
        .unwrap();
    wait_for_start.recv().unwrap();
    let nowhere: *mut u32 = std::ptr::null_mut();
    // Read so that the compiler cannot tell, with what Debian's Rust has too.
    unsafe { write_register(std::ptr::read_volatile(&nowhere), 7) };
}

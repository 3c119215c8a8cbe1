// Panics where a panic ends the process: on the main thread, on another one, or with a message of many pieces.

fn price(prices: &[u32], at: usize) -> u32 {
    prices[at]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments[1].as_str() {
        "main" => println!("{}", price(&[3, 4, 5], arguments.len() + 5)),
        "thread" => {
            let worker = std::thread::Builder::new().name("worker".into());
            let order: Option<u32> = None;
            let done = worker.spawn(move || order.expect("no such order")).unwrap().join();
            if done.is_err() {
                std::process::abort();
            }
        }
        // Longer than what the runtime prints by one call.
        "long" => panic!("{}|{}", "x".repeat(700), arguments.len()),
        // Another message than that of the panic, which was caught.
        _ => {
            let caught = std::panic::catch_unwind(|| price(&[], 1));
            println!("{}", caught.is_err());
            unsafe { std::ptr::null_mut::<u32>().write_volatile(7) }
        }
    }
}

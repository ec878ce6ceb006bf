//! The Rust client's CPU: Benchmarks/clients/README.md.

use heddle::v1::{subscription_event::Kind, ReadSettingsRequest};
use heddle::{Client, Error};
use std::time::Instant;

fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes into `time`, which lives until the call returns.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|size| size.parse().ok()).unwrap_or_default()
}

async fn calls(client: &Client, thread: &[u8], depth: usize, count: usize) -> Result<(), Error> {
    let mut running = Vec::new();
    for _ in 0..depth {
        let (client, thread) = (client.clone(), thread.to_vec());
        running.push(tokio::spawn(async move {
            for _ in 0..count / depth {
                client.settings().read(ReadSettingsRequest { thread: thread.clone() }).await?;
            }
            Ok(())
        }));
    }
    for one in running {
        one.await.expect("a task of the measurement ends")?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().collect();
    let digits = words[3].replace('-', "");
    let thread: Vec<u8> = (0..16).filter_map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()).collect();
    let number = |place: usize| words[place].parse::<usize>().unwrap_or_default();
    let client = Client::connect(&format!("heddle://{}", words[2])).await?;
    let (mut before, mut used, mut began) = (memory(), cpu(), Instant::now());
    if words[1] == "calls" {
        calls(&client, &thread, number(4), number(5) / 10).await?;
        (before, used, began) = (memory(), cpu(), Instant::now());
        calls(&client, &thread, number(4), number(5)).await?;
    } else {
        let mut events = client.subscribe(thread).after(0);
        let mut taken = 0;
        while let Some(message) = events.next().await? {
            taken += usize::from(matches!(message.kind, Some(Kind::Event(_))));
            if taken == number(4) / 10 {
                before = memory();
            }
            if taken == number(4) {
                break;
            }
        }
    }
    println!(
        "{{\"cpu\":{},\"seconds\":{},\"memory\":{}}}",
        cpu() - used,
        began.elapsed().as_secs_f64(),
        memory() - before
    );
    client.close().await;
    Ok(())
}

//! The hooks and the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use heddle::{CallEnded, Hooks};

pub struct Watch(pub Arc<Mutex<Vec<String>>>);

impl Watch {
    fn hear(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }
}

impl Hooks for Watch {
    fn connected(&self, _: &str) {
        self.hear("connected".to_string());
    }

    fn lost(&self, _: &str) {
        self.hear("lost".to_string());
    }

    fn retry(&self, method: &str, _: u32, _: Duration, reason: &str) {
        self.hear(format!("retry {method} {reason}"));
    }

    fn call(&self, call: &CallEnded<'_>) {
        self.hear(format!("call {} {}", call.method, call.reason));
    }

    fn resumed(&self, _: &[u8], _: u64) {
        self.hear("resumed".to_string());
    }
}

struct Log(Mutex<String>);

static LOG: Log = Log(Mutex::new(String::new()));

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {} {}\n", record.level(), record.target(), record.args());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(&line);
    }

    fn flush(&self) {}
}

pub fn start() {
    log::set_logger(&LOG).expect("the only logger");
    log::set_max_level(log::LevelFilter::Debug);
}

/// Everything that was logged so far.
pub fn logged() -> String {
    LOG.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

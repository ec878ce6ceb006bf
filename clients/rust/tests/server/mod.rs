//! A server of the tests: `HEDDLE_BIN`, with a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Server {
    folder: PathBuf,
    address: String,
    process: Child,
}

fn serve(folder: &std::path::Path, address: &str) -> (Child, String) {
    let program = std::env::var("HEDDLE_BIN").unwrap_or_else(|_| "../../.build/release/heddle".to_string());
    let mut process = Command::new(program)
        .args(["serve", "--listen", address, "--grpc", "off", "--http", "off", "--data"])
        .arg(folder.join("data"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server: HEDDLE_BIN names it");
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let behind = line.split("\"listen\":\"").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
    let address = behind.split('"').next().unwrap().to_string();
    (process, address)
}

impl Server {
    pub fn start() -> Server {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("heddle-rust-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let (process, address) = serve(&folder, "127.0.0.1:0");
        Server { folder, address, process }
    }

    pub fn url(&self) -> String {
        format!("heddle://{}", self.address)
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Ends the process at once, and starts another on the same folder and port.
    #[allow(dead_code)]
    pub fn restart(&mut self) {
        self.kill();
        self.process = serve(&self.folder, &self.address).0;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

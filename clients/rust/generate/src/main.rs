//! Messages in Rust by prost-build: generate OUT INCLUDE FILE…

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (out, include) = match (arguments.next(), arguments.next()) {
        (Some(out), Some(include)) => (out, include),
        _ => return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "generate OUT INCLUDE FILE…")),
    };
    let files: Vec<PathBuf> = arguments.map(|file| include.join(file)).collect();
    prost_build::Config::new().out_dir(out).compile_protos(&files, &[include])
}

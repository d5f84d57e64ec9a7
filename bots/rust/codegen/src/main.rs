//! Writes the messages and the client of the wire: `cargo run --release -- PROTO_FOLDER OUT_FOLDER`.
//!
//! The file that it makes, `v1.rs`, is kept with the SDK, so that a bot builds without protoc.

use std::{env, fs, io, path::Path};

const MADE: &str = "arena.v1.rs";

fn main() -> io::Result<()> {
    let [protos, out] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err(io::Error::other("usage: codegen PROTO_FOLDER OUT_FOLDER"));
    };
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .out_dir(out)
        .compile_protos(&[format!("{protos}/arena/v1/arena.proto")], std::slice::from_ref(protos))?;
    fs::rename(Path::new(out).join(MADE), Path::new(out).join("v1.rs"))
}

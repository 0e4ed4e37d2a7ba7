//! Builds the C peer with `-O3 -march=native`, and the Rust peers in their own directory, whose `.cargo/config.toml`
//! says `target-cpu=native`. `TRNWIRE_PEERS_CPU` asks for another processor, for tools that know fewer instructions.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let cpu = std::env::var("TRNWIRE_PEERS_CPU").ok();
    cc::Build::new()
        .files(["c/bundle.c", "c/dump.c", "c/validate.c", "c/sum.c"])
        .opt_level(3)
        .flag(format!("-march={}", cpu.as_deref().unwrap_or("native")))
        .warnings(true)
        .compile("trnwire_peer_c");

    let target = PathBuf::from(std::env::var_os("OUT_DIR").unwrap()).join("native");
    let mut native = Command::new(std::env::var_os("CARGO").unwrap());
    native
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(&target)
        .current_dir("native")
        // What this build was given must not replace what that directory asks for.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("CARGO_TARGET_DIR");
    if let Some(cpu) = cpu {
        native.env("RUSTFLAGS", format!("-C target-cpu={cpu}"));
    }
    assert!(native.status().unwrap().success(), "the Rust peers do not build");
    let library = target.join("release");
    println!("cargo::rustc-link-search=native={}", library.display());
    println!("cargo::rustc-link-lib=dylib=trnwire_peers");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", library.display());
    println!("cargo::rerun-if-env-changed=TRNWIRE_PEERS_CPU");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=native/src");
    println!("cargo::rerun-if-changed=native/Cargo.toml");
    println!("cargo::rerun-if-changed=native/.cargo/config.toml");
}

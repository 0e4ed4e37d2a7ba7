//! Builds the C peer with `-O3 -march=native`, and the Rust peers in their own directory, whose `.cargo/config.toml`
//! says `target-cpu=native`.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    cc::Build::new()
        .files(["c/bundle.c", "c/validate.c", "c/sum.c"])
        .opt_level(3)
        .flag("-march=native")
        .warnings(true)
        .compile("trnwire_peer_c");

    let target = PathBuf::from(std::env::var_os("OUT_DIR").unwrap()).join("native");
    let status = Command::new(std::env::var_os("CARGO").unwrap())
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(&target)
        .current_dir("native")
        // What this build was given must not replace what that directory asks for.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .unwrap();
    assert!(status.success(), "the Rust peers do not build");
    let library = target.join("release");
    println!("cargo::rustc-link-search=native={}", library.display());
    println!("cargo::rustc-link-lib=dylib=trnwire_peers");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", library.display());
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=native/src");
    println!("cargo::rerun-if-changed=native/Cargo.toml");
    println!("cargo::rerun-if-changed=native/.cargo/config.toml");
}

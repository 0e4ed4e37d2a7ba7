//! The `trnwire` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    trnwire_cli::main()
}

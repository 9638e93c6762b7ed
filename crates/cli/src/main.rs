//! The program `hs`, which is the library `heist_cli`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    heist_cli::main()
}

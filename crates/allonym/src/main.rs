//! The program `allonym`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}

//! The `quiver` command. All of it is in the library beside this file.

fn main() -> std::process::ExitCode {
    quiver_command::main()
}

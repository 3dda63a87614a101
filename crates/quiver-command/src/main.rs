//! The `quiver` command. All of it is in the library beside this file.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    quiver_command::main()
}

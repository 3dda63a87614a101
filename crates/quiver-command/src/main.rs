//! The `quiver` command. Its code is in the library of this crate.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    quiver_command::main()
}

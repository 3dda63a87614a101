//! The process that parses a file whose format can't be trusted: this program again, with resource limits that no file
//! can lift.

use std::{
    io::{self, BufWriter},
    process::ExitCode,
    time::Duration,
};

use quiver::read::{ReaderProgram, Untrusted, serve};

/// Memory limit for parsing a file.
#[cfg(unix)]
const MEMORY_BYTES_MAX: u64 = 2 << 30;
/// CPU time limit; the parent process gives up earlier.
#[cfg(unix)]
const PROCESSOR_S_MAX: u64 = 600;

/// Returns how to start this process.
pub(crate) fn reader(time_max: Duration) -> io::Result<Untrusted> {
    let arguments = vec!["read-untrusted".into()];
    Ok(Untrusted::Program(ReaderProgram { program: std::env::current_exe()?, arguments, time_max }))
}

/// Reads a file from standard input and writes its contents to standard output.
pub(crate) fn run(ending: &str) -> ExitCode {
    // Panic messages are of no use here.
    std::panic::set_hook(Box::new(|_| {}));
    let serve = |()| serve(ending, &mut io::stdin().lock(), &mut BufWriter::new(io::stdout().lock()));
    let served = limit().and_then(serve);
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(unix)]
fn limit() -> io::Result<()> {
    use rlimit::{Resource, setrlimit};
    let lower = |resource: Resource, most: u64| {
        let (_, hard) = resource.get()?;
        let most = most.min(hard);
        setrlimit(resource, most, most)
    };
    lower(Resource::AS, MEMORY_BYTES_MAX)?;
    lower(Resource::CPU, PROCESSOR_S_MAX)?;
    lower(Resource::CORE, 0)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as where there are limits")]
fn limit() -> io::Result<()> {
    Ok(())
}

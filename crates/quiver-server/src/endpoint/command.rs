//! Commands of other processes.

use axum::extract::State;
use quiver_forms::command::{Ran, Run};

use crate::{
    app::App,
    body::{LongJson, Reply},
    gate::Caller,
    keys::Role,
    problem::{Code, Problem},
};

pub(super) async fn run(
    State(app): State<App>,
    caller: Caller,
    LongJson(run): LongJson<Run>,
) -> Result<Reply<Ran>, Problem> {
    if !(1..=1000).contains(&run.arguments.len()) {
        return Err(Problem::at("arguments", "give 1 to 1000 arguments"));
    }
    let Some(commands) = &app.commands.0 else {
        return Err(Problem::new(Code::NotFound, "this server does not run commands; `quiver serve` does"));
    };
    let command = match commands.read(run) {
        Ok(command) => command,
        Err(wrong) => return Ok(Reply(wrong)),
    };
    let role = command.role();
    let ((key, workspace), client) = (caller.names(), caller.client());
    if let Err(problem) = caller.check(role) {
        tracing::warn!(target: "quiver_server::audit", client, key, workspace, path = "/v1/command", "refused: {}", problem.detail());
        return Err(problem);
    }
    let place = app.place(&caller.workspace).await?;
    let (quiver, is_bound) = (place.quiver.clone(), caller.is_bound());
    if role == Role::Read {
        return Ok(Reply(app.read_patiently(async move { Ok(command.run(quiver, is_bound).await) }).await?));
    }
    tracing::info!(target: "quiver_server::audit", client, key, workspace, path = "/v1/command", "written");
    let entered = place.enter(command.sessions()).await;
    let rebuilds = command.rebuilds();
    let work = async move {
        let _entered = entered;
        Ok(command.run(quiver, is_bound).await)
    };
    Ok(Reply(if rebuilds { app.erase(work).await? } else { app.write(work).await? }))
}

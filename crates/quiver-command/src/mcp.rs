//! The Model Context Protocol over standard input and output.

mod lease;
#[cfg(all(unix, feature = "serve"))]
mod relay;

use std::{io::IsTerminal as _, sync::Arc};

use anyhow::Result;
use quiver_tools::{Offered, Tools};
use rmcp::{ServiceExt, transport::stdio};

use crate::{Exit, commands::ask_options, exit::Failed, output::note, settings::Settings};
use lease::Leased;

/// Serves the tools until the client closes standard input.
pub(crate) async fn serve(settings: &Settings, offered: Offered) -> Result<Exit> {
    if std::io::stdin().is_terminal() {
        note(
            "an MCP client runs this command and communicates with it: `claude mcp add quiver -- quiver mcp \
             --path DIRECTORY`, or the configuration of your editor; Ctrl-D ends it",
        );
    }
    let tools = Tools::new(Arc::new(Leased::new(settings.clone())), ask_options(settings), offered);
    #[cfg(all(unix, feature = "serve"))]
    if let Some(relay) = relay::Relay::new(settings, offered, &tools) {
        return relay.serve().await;
    }
    let service = tools.serve(stdio()).await.map_err(|error| {
        Failed::usage(format!(
            "`quiver mcp` speaks the Model Context Protocol and must be run by a client: {error}"
        ))
    })?;
    service.waiting().await?;
    Ok(Exit::Done)
}

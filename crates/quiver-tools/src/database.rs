//! How a database is opened for a tool call.

use std::{error::Error as _, sync::Arc};

use async_trait::async_trait;
use quiver::Quiver;

/// Opens a database for tool calls.
#[async_trait]
pub trait Database: Send + Sync {
    /// Opens the database to read it. If it does not exist, an empty one is read.
    ///
    /// # Errors
    /// The message for the client, if it can't be opened.
    async fn read(&self) -> Result<Arc<Quiver>, String>;

    /// Opens the database to write into it, creating it if necessary.
    ///
    /// # Errors
    /// The message for the client, if it can't be opened.
    async fn write(&self) -> Result<Arc<Quiver>, String>;

    /// Returns the message for the client about an error.
    fn tell(&self, error: quiver::Error) -> String;
}

/// A database that is already open, for a client that may see the causes of its errors.
#[derive(Clone, Debug)]
pub struct Open(Arc<Quiver>);

impl Open {
    /// Wraps an open database.
    pub fn new(quiver: Quiver) -> Self {
        Self(Arc::new(quiver))
    }
}

#[async_trait]
impl Database for Open {
    async fn read(&self) -> Result<Arc<Quiver>, String> {
        Ok(Arc::clone(&self.0))
    }

    async fn write(&self) -> Result<Arc<Quiver>, String> {
        Ok(Arc::clone(&self.0))
    }

    fn tell(&self, error: quiver::Error) -> String {
        let mut causes = vec![error.to_string()];
        let mut cause = error.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes.join(": ")
    }
}

//! How a database is opened for a tool call.

use std::{error::Error as _, sync::Arc};

use async_trait::async_trait;
use quiver::Quiver;

/// Opens a database for tool calls.
#[async_trait]
pub trait Database: Send + Sync {
    /// Opens the database for reading. If it does not exist, returns an empty one.
    ///
    /// # Errors
    /// Fails with a message for the client if the database can't be opened.
    async fn read(&self) -> Result<Arc<Quiver>, String>;

    /// Opens the database for writing, creating it if necessary.
    ///
    /// # Errors
    /// Fails with a message for the client if the database can't be opened.
    async fn write(&self) -> Result<Arc<Quiver>, String>;

    /// Returns the message for the client about an error.
    fn tell(&self, error: quiver::Error) -> String;
}

/// An open database, for a client that may see the causes of errors.
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

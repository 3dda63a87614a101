//! Connections: limits on their heads, and a shutdown that lets current requests finish.

use std::{
    future::pending,
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::Router;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
#[cfg(feature = "bolt")]
use std::net::SocketAddr;
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch},
    time::{Sleep, sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::{
    app::App,
    gate::OverSocket,
    idle::{BusyBody, Connections, Open},
    jobs,
    proxy::Peer,
};

/// Maximum size of the head of a request in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Maximum number of headers in a request.
const HEADERS_MAX: usize = 100;
/// Maximum time that a client may leave a reply unread.
const UNREAD_TIME_MAX: Duration = Duration::from_mins(1);
/// How often to look for a place while no connection is idle.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the listener pauses if it can't accept a connection: too many files may be open.
const REST: Duration = Duration::from_millis(100);

/// The sources of connections.
#[derive(Debug, Default)]
pub struct Listeners {
    /// Clients over HTTP.
    pub network: Option<TcpListener>,
    /// Processes that may open the directory of the database, over a socket in it: HTTP without a key.
    #[cfg(unix)]
    pub socket: Option<UnixListener>,
    /// Neo4j drivers, over Bolt.
    #[cfg(feature = "bolt")]
    pub bolt: Option<TcpListener>,
}

enum Accepted {
    Network(TcpStream, IpAddr),
    #[cfg(unix)]
    Socket(UnixStream),
    #[cfg(feature = "bolt")]
    Bolt(TcpStream, SocketAddr),
}

/// The protocol of a connection.
enum Protocol {
    Http(Router, Peer),
    #[cfg(feature = "bolt")]
    Bolt(SocketAddr),
}

impl Listeners {
    /// Waits for the next connection.
    async fn accept(&self) -> io::Result<Accepted> {
        tokio::select! {
            accepted = self.accept_network() => accepted,
            accepted = self.accept_socket() => accepted,
            accepted = self.accept_bolt() => accepted,
        }
    }

    async fn accept_network(&self) -> io::Result<Accepted> {
        let Some(network) = &self.network else { return pending().await };
        let (stream, peer) = network.accept().await?;
        let _ = stream.set_nodelay(true);
        Ok(Accepted::Network(stream, peer.ip()))
    }

    #[cfg(unix)]
    async fn accept_socket(&self) -> io::Result<Accepted> {
        let Some(socket) = &self.socket else { return pending().await };
        Ok(Accepted::Socket(socket.accept().await?.0))
    }

    #[cfg(not(unix))]
    async fn accept_socket(&self) -> io::Result<Accepted> {
        pending().await
    }

    #[cfg(feature = "bolt")]
    async fn accept_bolt(&self) -> io::Result<Accepted> {
        let Some(bolt) = &self.bolt else { return pending().await };
        let (stream, peer) = bolt.accept().await?;
        let _ = stream.set_nodelay(true);
        Ok(Accepted::Bolt(stream, peer))
    }

    #[cfg(not(feature = "bolt"))]
    async fn accept_bolt(&self) -> io::Result<Accepted> {
        pending().await
    }
}

/// What a connection holds while it is open.
struct Held {
    app: App,
    open: Open,
    _place: OwnedSemaphorePermit,
    _running: mpsc::Sender<()>,
    told_end: watch::Receiver<bool>,
}

/// Answers requests until `end` is ready, and then completes the current ones.
pub(crate) async fn listen(app: &App, router: Router, listeners: Listeners, end: impl Future<Output = ()>) {
    let config = &app.config;
    // Jobs that the last server did not complete.
    jobs::begin(app);
    let places = Arc::new(Semaphore::new(config.connections_max));
    let connections = Connections::default();
    let (tell_end, told_end) = watch::channel(false);
    // Each connection holds one end of it.
    let (running, mut all_closed) = mpsc::channel::<()>(1);
    let mut end = pin!(end);
    loop {
        let accepted = tokio::select! {
            () = &mut end => break,
            accepted = listeners.accept() => accepted,
        };
        // It is answered when there is a place for it.
        let place = tokio::select! {
            () = &mut end => break,
            place = find_place(&places, &connections) => place,
        };
        let Some(place) = place else { break };
        let held = Held {
            app: app.clone(),
            open: connections.add(),
            _place: place,
            _running: running.clone(),
            told_end: told_end.clone(),
        };
        let router = router.clone();
        match accepted {
            Ok(Accepted::Network(stream, peer)) => begin(stream, Protocol::Http(router, Peer(peer)), held),
            #[cfg(feature = "bolt")]
            Ok(Accepted::Bolt(stream, peer)) => begin(stream, Protocol::Bolt(peer), held),
            #[cfg(unix)]
            Ok(Accepted::Socket(stream)) => drop(tokio::spawn(converse(stream, router, None, held))),
            Err(error) => {
                tracing::warn!("a connection was not accepted: {error}");
                sleep(REST).await;
            }
        }
    }
    app.end();
    drop(listeners);
    drop(running);
    let _ = tell_end.send(true);
    let all_ended = async {
        all_closed.recv().await;
        if let Some(jobs) = &config.jobs {
            jobs.rest().await;
        }
    };
    if timeout(config.drain_time_max, all_ended).await.is_err() {
        tracing::warn!("running requests and jobs were aborted after {} s", config.drain_time_max.as_secs());
    }
}

/// Waits for a place. If all are taken, the connection that has been idle longest gives up its own.
async fn find_place(places: &Arc<Semaphore>, connections: &Connections) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Some(place);
        }
        let wait = connections.close_oldest().unwrap_or(LOOK_EVERY);
        if let Ok(place) = timeout(wait, Arc::clone(places).acquire_owned()).await {
            return place.ok();
        }
    }
}

/// Starts to serve a connection in a task of its own.
fn begin(stream: TcpStream, protocol: Protocol, held: Held) {
    match held.app.config.tls.as_ref().map(|tls| tls.acceptor()) {
        Some(acceptor) => drop(tokio::spawn(greet(acceptor, stream, protocol, held))),
        None => drop(tokio::spawn(speak(stream, protocol, held))),
    }
}

/// Performs the TLS handshake of a connection, and serves it.
async fn greet(acceptor: TlsAcceptor, stream: TcpStream, protocol: Protocol, held: Held) {
    let connection = Arc::clone(&held.open.connection);
    let greeted = tokio::select! {
        greeted = timeout(held.app.config.head_time_max, acceptor.accept(stream)) => greeted,
        () = connection.closed() => return,
    };
    match greeted {
        Ok(Ok(stream)) => speak(stream, protocol, held).await,
        Ok(Err(error)) => tracing::debug!("a TLS handshake failed: {error}"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Serves a connection in its protocol.
async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, protocol: Protocol, held: Held) {
    match protocol {
        Protocol::Http(router, peer) => converse(stream, router, Some(peer), held).await,
        #[cfg(feature = "bolt")]
        Protocol::Bolt(peer) => converse_in_bolt(stream, peer, held).await,
    }
}

/// Answers the messages of a Bolt connection. On shutdown, the current message is answered and open transactions are
/// rolled back.
#[cfg(feature = "bolt")]
async fn converse_in_bolt(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    mut held: Held,
) {
    let app = held.app.clone();
    let _connected = app.metrics.connected();
    let connection = Arc::clone(&held.open.connection);
    let told_to_end = async {
        let _ = held.told_end.changed().await;
        connection.rested().await;
    };
    tokio::select! {
        () = crate::bolt::converse(app.clone(), Arc::clone(&connection), peer, Patient::new(stream)) => {}
        () = connection.closed() => {}
        () = told_to_end => {}
    }
}

/// Answers the requests of an HTTP connection. Without a peer address, it came over the socket.
async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    peer: Option<Peer>,
    mut held: Held,
) {
    let own = Arc::clone(&held.open.connection);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        match peer {
            Some(peer) => drop(request.extensions_mut().insert(peer)),
            None => drop(request.extensions_mut().insert(OverSocket)),
        }
        let (busy, answered) = (own.begin(), router.clone().oneshot(request));
        async move {
            let answered = answered.await;
            answered.map(|response| response.map(|body| BusyBody::new(body, busy)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(held.app.config.head_time_max)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .half_close(false)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    let app = held.app.clone();
    let _connected = app.metrics.connected();
    let mut connection = pin!(connection);
    let idle = Arc::clone(&held.open.connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = idle.closed() => return,
        _ = held.told_end.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // Connection errors are the client's concern.
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}

/// A connection that gives up on a client that does not read.
struct Patient<S> {
    stream: S,
    unread: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    fn new(stream: S) -> Self {
        Self { stream, unread: None }
    }

    /// Passes on the result of a write, or an error if the client has read nothing for too long.
    fn within<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD_TIME_MAX)));
        match unread.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

//! Opens a TCP port for a server, or returns an error with a hint at a free address.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::terminal::problem::Problem;

/// Listens on `address`.
///
/// # Errors
/// When the system does not allow it.
pub(crate) async fn listen(address: SocketAddr) -> Result<TcpListener, Problem> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| cannot_listen(address, error))
}

fn cannot_listen(address: SocketAddr, error: io::Error) -> Problem {
    let free = SocketAddr::new(address.ip(), 0);
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("another program listens there; take a free port with: --listen {free}")
        }
        io::ErrorKind::AddrNotAvailable => {
            let port = address.port();
            format!(
                "this machine has no such address; for itself alone: --listen 127.0.0.1:{port}, for others too: --listen 0.0.0.0:{port}"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("low ports belong to the system; take a free one with: --listen {free}")
        }
        _ => format!("take another address, such as: --listen {free}"),
    };
    Problem::user(format!("cannot listen on {address}"))
        .caused_by(error)
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis::of;
    use crate::terminal::exit::Exit;

    #[tokio::test]
    async fn a_port_in_use_names_the_way_out() {
        let taken = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = anyhow::Error::from(listen(address).await.unwrap_err());
        assert_eq!(error.to_string(), format!("cannot listen on {address}"));
        let diagnosis = of(&error);
        assert_eq!(diagnosis.exit, Exit::User);
        assert_eq!(
            diagnosis.hints,
            ["another program listens there; take a free port with: --listen 127.0.0.1:0"]
        );
    }
}

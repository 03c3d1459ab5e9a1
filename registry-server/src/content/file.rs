//! Reading files of a local store: short ones at once, long ones piece by piece with one piece read ahead.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use tokio::task::{JoinHandle, spawn_blocking};

/// Bytes read at once. The disk and the network work at the same time, so a download has up to three pieces in memory.
const PIECE_BYTES: u64 = 256 << 10;

/// A part of the file at `path`, which must be there.
pub(super) async fn read_part(path: PathBuf, part: Range<u64>) -> io::Result<Body> {
    let mut left = part.end - part.start;
    let opening = spawn_blocking(move || {
        let mut file = File::open(path)?;
        if part.start > 0 {
            file.seek(SeekFrom::Start(part.start))?;
        }
        read_piece(file, left)
    });
    let (file, first) = done(opening.await)?;
    left -= first.len() as u64;
    if left == 0 {
        return Ok(Body::from(first));
    }
    let state = Reading {
        ready: Some(first),
        next: Some(read_ahead(file, left)),
        left,
    };
    Ok(Body::from_stream(stream::try_unfold(state, next_piece)))
}

/// A file that is on its way to a client.
struct Reading {
    /// A piece that was read before the stream began.
    ready: Option<Bytes>,
    next: Option<Piece>,
    /// Bytes after the piece that is ready.
    left: u64,
}

type Piece = JoinHandle<io::Result<(File, Bytes)>>;

async fn next_piece(mut reading: Reading) -> io::Result<Option<(Bytes, Reading)>> {
    if let Some(piece) = reading.ready.take() {
        return Ok(Some((piece, reading)));
    }
    let Some(next) = reading.next.take() else {
        return Ok(None);
    };
    let (file, piece) = done(next.await)?;
    reading.left -= piece.len() as u64;
    if reading.left > 0 {
        reading.next = Some(read_ahead(file, reading.left));
    }
    Ok(Some((piece, reading)))
}

fn read_ahead(file: File, left: u64) -> Piece {
    spawn_blocking(move || read_piece(file, left))
}

fn read_piece(mut file: File, left: u64) -> io::Result<(File, Bytes)> {
    let wanted = left.min(PIECE_BYTES);
    let mut piece = Vec::with_capacity(usize::try_from(wanted).map_err(io::Error::other)?);
    (&mut file).take(wanted).read_to_end(&mut piece)?;
    match piece.len() as u64 == wanted {
        true => Ok((file, Bytes::from(piece))),
        // An object never changes, so somebody else has cut it.
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn done<T>(joined: Result<io::Result<T>, tokio::task::JoinError>) -> io::Result<T> {
    joined.map_err(io::Error::other)?
}

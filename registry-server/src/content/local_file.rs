//! Reads files of a local store: short ones at once, long ones piece by piece.
//! While there is memory for it, pieces are long and the next one is read ahead.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::http::{Memory, Reservation};

/// Bytes read at once. The disk and the network work at the same time, so a download has up to
/// three pieces in memory.
const PIECE_BYTES: u64 = 256 << 10;
/// Bytes read at once when no memory is left for long pieces, as in thousands of downloads.
const SHORT_PIECE_BYTES: u64 = 16 << 10;

/// The way to read one file: the length of its pieces, if the next piece is read ahead, and the
/// memory reserved for that.
struct Pieces {
    length: u64,
    ahead: bool,
    _held: Reservation,
}

impl Pieces {
    const SHORT: Self = Self {
        length: SHORT_PIECE_BYTES,
        ahead: false,
        _held: Reservation::NOTHING,
    };

    /// Long pieces, read ahead, if there is memory for them; always if memory is not bounded.
    fn within(memory: Option<&Memory>) -> Self {
        let held = match memory {
            Some(memory) => memory.try_hold(3 * PIECE_BYTES as usize),
            None => Some(Reservation::NOTHING),
        };
        held.map_or(Self::SHORT, |held| Self {
            length: PIECE_BYTES,
            ahead: true,
            _held: held,
        })
    }
}

/// A part of the file at `path`, which must be there.
pub(super) async fn read_part(
    path: PathBuf,
    part: Range<u64>,
    memory: Option<&Memory>,
) -> io::Result<Body> {
    let mut left = part.end - part.start;
    let pieces = match left {
        0..=SHORT_PIECE_BYTES => Pieces::SHORT,
        _ => Pieces::within(memory),
    };
    let length = pieces.length;
    let opening = spawn_blocking(move || {
        let mut file = File::open(path)?;
        if part.start > 0 {
            file.seek(SeekFrom::Start(part.start))?;
        }
        read_piece(file, left.min(length))
    });
    let (file, first) = done(opening.await)?;
    left -= first.len() as u64;
    if left == 0 {
        return Ok(Body::from(first));
    }
    let state = FileStream {
        ready: Some(first),
        next: Some(Next::after(file, left, &pieces)),
        left,
        pieces,
    };
    Ok(Body::from_stream(stream::try_unfold(state, next_piece)))
}

/// A file that is on its way to a client.
struct FileStream {
    /// A piece that was read before the stream began.
    ready: Option<Bytes>,
    next: Option<Next>,
    /// Bytes after the piece that is ready.
    left: u64,
    pieces: Pieces,
}

type Piece = JoinHandle<io::Result<(File, Bytes)>>;

/// The piece after the one that is sent.
enum Next {
    OnItsWay(Piece),
    Unread(File),
}

impl Next {
    fn after(file: File, left: u64, pieces: &Pieces) -> Self {
        match pieces.ahead {
            true => Self::OnItsWay(read(file, left, pieces)),
            false => Self::Unread(file),
        }
    }
}

async fn next_piece(mut reading: FileStream) -> io::Result<Option<(Bytes, FileStream)>> {
    if let Some(piece) = reading.ready.take() {
        return Ok(Some((piece, reading)));
    }
    let Some(next) = reading.next.take() else {
        return Ok(None);
    };
    let next = match next {
        Next::OnItsWay(piece) => piece,
        Next::Unread(file) => read(file, reading.left, &reading.pieces),
    };
    let (file, piece) = done(next.await)?;
    reading.left -= piece.len() as u64;
    if reading.left > 0 {
        reading.next = Some(Next::after(file, reading.left, &reading.pieces));
    }
    Ok(Some((piece, reading)))
}

fn read(file: File, left: u64, pieces: &Pieces) -> Piece {
    let wanted = left.min(pieces.length);
    spawn_blocking(move || read_piece(file, wanted))
}

fn read_piece(mut file: File, wanted: u64) -> io::Result<(File, Bytes)> {
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

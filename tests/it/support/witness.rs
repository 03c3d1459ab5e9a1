//! A `Witness` of logs, written from C2SP `tlog-witness` and `tlog-cosignature`, and ill ones.
//! It shares no code with whoever asks it: it verifies notes and proofs by itself.

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use data_encoding::BASE64;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

type Hash = [u8; 32];

/// The most lines of a proof.
const PROOF_LINES_MAX: usize = 63;

/// The ways in which a witness answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Honest,
    /// It cosigns with a time so many seconds ago.
    Late(u64),
    /// It never answers.
    Silent,
    /// It answers with so many bytes of nonsense.
    Garbage(usize),
    /// It signs with a key that nobody knows.
    OtherKey,
    /// It signs the state of a log of another name.
    OtherOrigin,
    /// It signs another number of records.
    OtherSize,
    /// It says that it has cosigned so many records.
    Conflict(u64),
    /// It answers with this status and nothing else.
    Status(u16),
}

/// A running witness on a free port of the loopback address. It ends when it goes out of scope.
pub(crate) struct Witness {
    url: String,
    key: String,
    state: Arc<Mutex<State>>,
    _end: oneshot::Sender<()>,
}

struct State {
    name: String,
    secret: SigningKey,
    manner: Manner,
    /// The keys of logs, by name.
    logs: HashMap<String, VerifyingKey>,
    /// Size and root of the last state that it cosigned, by log.
    cosigned: HashMap<String, (u64, Hash)>,
    asked: usize,
}

impl Witness {
    /// Starts one that knows no log.
    pub(crate) fn start(name: &str, manner: Manner) -> Self {
        let seed: Hash = Sha256::digest(name).into();
        let secret = SigningKey::from_bytes(&seed);
        let encoded = [&[4], secret.verifying_key().as_bytes().as_slice()].concat();
        let id = u32::from_be_bytes(key_id(name, &encoded));
        let state = Arc::new(Mutex::new(State {
            name: name.to_owned(),
            secret,
            manner,
            logs: HashMap::new(),
            cosigned: HashMap::new(),
            asked: 0,
        }));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (end, ended) = oneshot::channel();
        let served = Arc::clone(&state);
        thread::spawn(move || serve(listener, served, ended));
        Self {
            url: format!("http://{address}/log-witness"),
            key: format!("{name}+{id:08x}+{}", BASE64.encode(&encoded)),
            state,
            _end: end,
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its public key with its name, as C2SP `signed-note` writes it.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Tells it of a log, by the log's public key as C2SP `signed-note` writes it.
    pub(crate) fn know(&self, log: &str) {
        let mut parts = log.trim().splitn(3, '+');
        let name = parts.next().expect("a name");
        let key = parts.nth(1).expect("a key");
        let key = BASE64.decode(key.as_bytes()).expect("base64");
        let key: Hash = key[1..].try_into().expect("32 bytes");
        let key = VerifyingKey::from_bytes(&key).expect("a key");
        self.state().logs.insert(name.to_owned(), key);
    }

    pub(crate) fn behaves(&self, manner: Manner) {
        self.state().manner = manner;
    }

    /// The number of records that it cosigned last, of all logs the most.
    pub(crate) fn size(&self) -> u64 {
        let state = self.state();
        let sizes = state.cosigned.values().map(|(size, _)| *size);
        sizes.max().unwrap_or_default()
    }

    /// The number of questions.
    pub(crate) fn asked(&self) -> usize {
        self.state().asked
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(listener: TcpListener, state: Arc<Mutex<State>>, ended: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let answer = move |body: String| {
        let answered = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.asked += 1;
            state.answer(&body)
        };
        async move {
            match answered {
                Some(response) => response,
                None => std::future::pending().await,
            }
        }
    };
    let routes = Router::new().route("/log-witness/add-checkpoint", post(answer));
    runtime.block_on(async move {
        listener.set_nonblocking(true).expect("a listener");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        tokio::select! {
            _ = async { axum::serve(listener, routes).await } => {}
            _ = ended => {}
        }
    });
}

impl State {
    /// The answer; none if there is never one.
    fn answer(&mut self, body: &str) -> Option<Response> {
        Some(match self.manner {
            Manner::Silent => return None,
            Manner::Garbage(length) => "\u{2014} x".repeat(length / 5).into_response(),
            Manner::Conflict(size) => conflict(size),
            Manner::Status(status) => StatusCode::from_u16(status)
                .expect("a status")
                .into_response(),
            _ => match self.add_checkpoint(body) {
                Ok(line) => line.into_response(),
                Err(response) => *response,
            },
        })
    }

    fn add_checkpoint(&mut self, body: &str) -> Result<String, Box<Response>> {
        let status = |status: StatusCode| Box::new(status.into_response());
        let bad = || status(StatusCode::BAD_REQUEST);
        let (head, note) = body.split_once("\n\n").ok_or_else(bad)?;
        let (text, signatures) = note.split_once("\n\n").ok_or_else(bad)?;
        let mut head = head.lines();
        let old = head.next().and_then(|line| line.strip_prefix("old "));
        let old = old.filter(|it| *it == "0" || !it.starts_with('0'));
        let old: u64 = old.and_then(|it| it.parse().ok()).ok_or_else(bad)?;
        let proof: Option<Vec<Hash>> = head.map(hash).collect();
        let proof = proof
            .filter(|it| it.len() <= PROOF_LINES_MAX)
            .ok_or_else(bad)?;
        let text = format!("{text}\n");
        let mut lines = text.lines();
        let origin = lines.next().unwrap_or_default().to_owned();
        let size: u64 = lines
            .next()
            .and_then(|it| it.parse().ok())
            .ok_or_else(bad)?;
        let root = lines.next().and_then(hash).ok_or_else(bad)?;
        let Some(key) = self.logs.get(&origin) else {
            return Err(status(StatusCode::NOT_FOUND));
        };
        if !is_signed(&text, signatures, &origin, key) {
            return Err(status(StatusCode::FORBIDDEN));
        }
        if old > size {
            return Err(bad());
        }
        let (seen, seen_root) = self.cosigned.get(&origin).copied().unwrap_or_default();
        if old != seen || (old == size && seen_root != root && seen > 0) {
            return Err(Box::new(conflict(seen)));
        }
        let holds = match old {
            0 => proof.is_empty(),
            same if same == size => proof.is_empty(),
            _ => is_consistent((old, seen_root), (size, root), &proof),
        };
        if !holds {
            return Err(status(StatusCode::UNPROCESSABLE_ENTITY));
        }
        self.cosigned.insert(origin, (size, root));
        Ok(self.cosignature(&text))
    }

    fn cosignature(&self, text: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut seconds = now.unwrap_or(Duration::ZERO).as_secs();
        let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        let mut secret = self.secret.clone();
        match self.manner {
            Manner::Late(by) => seconds -= by,
            Manner::OtherKey => secret = SigningKey::from_bytes(&[9; 32]),
            Manner::OtherOrigin => lines[0].push_str(".example"),
            Manner::OtherSize => lines[1].push('0'),
            _ => {}
        }
        let text = lines.join("\n");
        let message = format!("cosignature/v1\ntime {seconds}\n{text}\n");
        let signature = secret.sign(message.as_bytes()).to_bytes();
        let encoded = [&[4], secret.verifying_key().as_bytes().as_slice()].concat();
        let id = key_id(&self.name, &encoded);
        let bytes = [&id[..], &seconds.to_be_bytes(), &signature].concat();
        format!("\u{2014} {} {}\n", self.name, BASE64.encode(&bytes))
    }
}

fn conflict(size: u64) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/x.tlog.size")];
    (StatusCode::CONFLICT, kind, format!("{size}\n")).into_response()
}

fn key_id(name: &str, encoded: &[u8]) -> [u8; 4] {
    let hash = Sha256::digest([name.as_bytes(), b"\n", encoded].concat());
    [hash[0], hash[1], hash[2], hash[3]]
}

fn hash(line: &str) -> Option<Hash> {
    BASE64.decode(line.as_bytes()).ok()?.try_into().ok()
}

/// True if one of the lines is a signature by the key over the text alone.
fn is_signed(text: &str, signatures: &str, origin: &str, key: &VerifyingKey) -> bool {
    let id = key_id(origin, &[&[1], key.as_bytes().as_slice()].concat());
    signatures.lines().any(|line| {
        let line = line.strip_prefix("\u{2014} ");
        let Some((name, bytes)) = line.and_then(|line| line.split_once(' ')) else {
            return false;
        };
        let bytes = BASE64.decode(bytes.as_bytes()).unwrap_or_default();
        let Some((found, signature)) = bytes.split_first_chunk::<4>() else {
            return false;
        };
        let signature = Signature::from_slice(signature);
        let holds = |it: Signature| key.verify_strict(text.as_bytes(), &it).is_ok();
        name == origin && *found == id && signature.is_ok_and(holds)
    })
}

/// Verifies a consistency proof as RFC 9162, section 2.1.4.2, says.
fn is_consistent(
    (old, old_root): (u64, Hash),
    (new, new_root): (u64, Hash),
    proof: &[Hash],
) -> bool {
    let node = |left: Hash, right: Hash| -> Hash {
        Sha256::digest([&[1], &left[..], &right[..]].concat()).into()
    };
    let first = old.is_power_of_two().then_some(old_root);
    let mut path = first.into_iter().chain(proof.iter().copied());
    let Some(start) = path.next().filter(|_| !proof.is_empty()) else {
        return false;
    };
    let (mut old_place, mut new_place) = (old - 1, new - 1);
    while old_place & 1 == 1 {
        (old_place, new_place) = (old_place >> 1, new_place >> 1);
    }
    let (mut old_hash, mut new_hash) = (start, start);
    for sibling in path {
        if new_place == 0 {
            return false;
        }
        if old_place & 1 == 1 || old_place == new_place {
            old_hash = node(sibling, old_hash);
            new_hash = node(sibling, new_hash);
            while old_place & 1 == 0 && old_place != 0 {
                (old_place, new_place) = (old_place >> 1, new_place >> 1);
            }
        } else {
            new_hash = node(new_hash, sibling);
        }
        (old_place, new_place) = (old_place >> 1, new_place >> 1);
    }
    old_hash == old_root && new_hash == new_root && new_place == 0
}

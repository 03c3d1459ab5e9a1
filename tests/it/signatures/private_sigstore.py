"""A small Sigstore of a test: certificates of a private authority, and entries of a private log.

Usage: private_sigstore.py PACKAGE SUBJECT ISSUER [FAULT]

The statement is that of PACKAGE/model.sig, as OpenSSF's program wrote it, or that of the bundle
PACKAGE where that is a file; its signature is made anew with a certificate of minutes. What the
authority and the log are stays in `sigstore.pickle`, and what a client has to know of them in
`trust.json`.
"""

import base64, datetime, hashlib, json, os, pickle, struct, sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

SHA256 = ec.ECDSA(hashes.SHA256())
MINUTE = datetime.timedelta(minutes=1)
PKCS8 = serialization.PrivateFormat.PKCS8
DER, PEM = serialization.Encoding.DER, serialization.Encoding.PEM
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def b64(data):
    return base64.b64encode(data).decode()


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def spki(key):
    return key.public_key().public_bytes(DER, SPKI)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def authority():
    key = new_key()
    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    root = (
        x509.CertificateBuilder(name("root"), name("root"), key.public_key(), 1)
        .not_valid_before(now() - 60 * MINUTE)
        .not_valid_after(now() + 60 * 24 * MINUTE)
        .add_extension(x509.BasicConstraints(True, None), True)
        .add_extension(usage, True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .sign(key, hashes.SHA256())
    )
    return key, root


def sigstore():
    """The keys of the authority, of the registration of certificates and of the log."""
    try:
        with open("sigstore.pickle", "rb") as file:
            keys = pickle.load(file)
    except FileNotFoundError:
        ca, root = authority()
        keys = [ca, new_key(), new_key()]
        keys = [key.private_bytes(DER, PKCS8, serialization.NoEncryption()) for key in keys]
        keys.append(root.public_bytes(DER))
        with open("sigstore.pickle", "wb") as file:
            pickle.dump(keys, file)
    load = lambda der: serialization.load_der_private_key(der, None)
    return *map(load, keys[:3]), x509.load_der_x509_certificate(keys[3])


def trust_config(registration, log, root, url=None, log_version=1, clock=()):
    """What a client is told: roots, and services at one URL. `clock` are certificates."""
    at = lambda service: url or f"https://{service}.example"
    window = {"start": (now() - 600 * MINUTE).isoformat().replace("+00:00", "Z")}
    key = lambda key: {
        "rawBytes": b64(spki(key)),
        "keyDetails": "PKIX_ECDSA_P256_SHA_256",
        "validFor": window,
    }
    instance = lambda url, it: {
        "baseUrl": url,
        "hashAlgorithm": "SHA2_256",
        "publicKey": key(it),
        "logId": {"keyId": b64(hashlib.sha256(spki(it)).digest())},
    }
    chain = lambda certificates: {
        "certificates": [{"rawBytes": b64(it.public_bytes(DER))} for it in certificates]
    }
    vouching = lambda certificates, url: {
        "subject": {"organization": "test", "commonName": "root"},
        "uri": url,
        "certChain": chain(certificates),
        "validFor": window,
    }
    service = lambda url, version: {
        "url": url,
        "majorApiVersion": version,
        "validFor": window,
        "operator": "test",
    }
    return {
        "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
        "trustedRoot": {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [instance(at("log"), log)],
            "certificateAuthorities": [vouching([root], at("authority"))],
            "ctlogs": [instance("https://registration.example", registration)],
            "timestampAuthorities": [vouching(clock, f"{url}/time")] if clock else [],
        },
        "signingConfig": {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            "caUrls": [service(at("authority"), 1)],
            "oidcUrls": [service(at("issuer"), 1)],
            "rekorTlogUrls": [service(at("log"), log_version)],
            "tsaUrls": [service(f"{url}/time", 1)] if clock else [],
            "rekorTlogConfig": {"selector": "ANY"},
            "tsaConfig": {"selector": "ANY"},
        },
    }


def utf8(text):
    data = text.encode()
    length = bytes([len(data)]) if len(data) < 128 else bytes([0x81, len(data)])
    return b"\x0c" + length + data


def registered(builder, ca, registration, issuer):
    """Signs a certificate with the timestamp of its registration (RFC 6962, 3.3)."""
    tbs = builder.sign(ca, hashes.SHA256()).tbs_certificate_bytes
    time = struct.pack(">Q", int(now().timestamp() * 1000))
    entry = hashlib.sha256(spki(issuer)).digest() + struct.pack(">I", len(tbs))[1:] + tbs
    signed = b"\0\0" + time + b"\0\1" + entry + b"\0\0"
    signature = registration.sign(signed, SHA256)
    sct = b"\0" + hashlib.sha256(spki(registration)).digest() + time + b"\0\0"
    sct += b"\4\3" + struct.pack(">H", len(signature)) + signature
    scts = struct.pack(">H", len(sct)) + sct
    scts = struct.pack(">H", len(scts)) + scts
    octets = b"\x04" + (bytes([len(scts)]) if len(scts) < 128 else bytes([0x81, len(scts)])) + scts
    oid = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
    return builder.add_extension(x509.UnrecognizedExtension(oid, octets), False).sign(
        ca, hashes.SHA256()
    )


def certificate(key, subject, issuer, fault, ca, registration, root):
    is_address = "@" in subject and "/" not in subject
    san = x509.RFC822Name(subject) if is_address else x509.UniformResourceIdentifier(subject)
    usage = ExtendedKeyUsageOID.CODE_SIGNING
    if fault == "usage":
        usage = ExtendedKeyUsageOID.SERVER_AUTH
    fulcio = lambda number, text: x509.UnrecognizedExtension(
        ObjectIdentifier(f"1.3.6.1.4.1.57264.1.{number}"), utf8(text)
    )
    # What it signed was signed now, so this is a certificate of another time.
    begin = now() - 40 * MINUTE if fault == "time" else now() - MINUTE
    builder = (
        x509.CertificateBuilder(root.subject, x509.Name([]), key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + 10 * MINUTE)
        .add_extension(
            x509.KeyUsage(True, False, False, False, False, False, False, False, False), True
        )
        .add_extension(x509.ExtendedKeyUsage([usage]), False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), False
        )
        .add_extension(x509.SubjectAlternativeName([san]), True)
        .add_extension(fulcio(8, issuer), False)
        # What model_signing reads: the same, as it was written before.
        .add_extension(
            x509.UnrecognizedExtension(
                ObjectIdentifier("1.3.6.1.4.1.57264.1.1"), issuer.encode()
            ),
            False,
        )
    )
    if not is_address:
        repository = "/".join(subject.split("/")[:5])
        if fault == "caller":
            repository = "https://forge.example/eve/caller"
        builder = builder.add_extension(fulcio(9, subject), False)
        builder = builder.add_extension(fulcio(12, repository), False)
    if fault == "unregistered":
        registration = new_key()
    return registered(builder, ca, registration, ca)


def leaf_hash(body):
    return hashlib.sha256(b"\0" + body).digest()


def halves(leaves):
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return left, leaves[:left], leaves[left:]


def root_hash(leaves):
    """The root of a tree (RFC 6962, 2.1)."""
    if len(leaves) == 1:
        return leaves[0]
    _, left, right = halves(leaves)
    return hashlib.sha256(b"\1" + root_hash(left) + root_hash(right)).digest()


def path_to(index, leaves):
    """The hashes beside the way from a leaf to the root."""
    if len(leaves) == 1:
        return []
    left_size, left, right = halves(leaves)
    if index < left_size:
        return path_to(index, left) + [root_hash(right)]
    return path_to(index - left_size, right) + [root_hash(left)]


def entry(bodies, log, fault, kind=("dsse", "0.0.1")):
    """The last entry of a log, as bundles have it, with proof and promise."""
    body, index, leaves = bodies[-1], len(bodies) - 1, [leaf_hash(it) for it in bodies]
    log_id = hashlib.sha256(spki(log)).digest()
    root = root_hash(leaves)
    if fault == "root":
        root = hashlib.sha256(b"another tree").digest()
    note = f"log.example - 1\n{len(leaves)}\n{b64(root)}\n"
    signer = new_key() if fault == "checkpoint" else log
    signature = log_id[:4] + signer.sign(note.encode(), SHA256)
    checkpoint = f"{note}\n\u2014 log.example {b64(signature)}\n"
    time = int(now().timestamp())
    promise = {"body": b64(body), "integratedTime": time, "logID": log_id.hex(), "logIndex": index}
    signer = new_key() if fault == "promise" else log
    made = {
        "logIndex": str(index),
        "logId": {"keyId": b64(log_id)},
        "kindVersion": {"kind": kind[0], "version": kind[1]},
        "integratedTime": str(time),
        "inclusionPromise": {"signedEntryTimestamp": b64(signer.sign(compact(promise), SHA256))},
        "inclusionProof": {
            "logIndex": str(index),
            "rootHash": b64(root),
            "treeSize": str(len(leaves)),
            "hashes": [b64(it) for it in path_to(index, leaves)],
            "checkpoint": {"envelope": checkpoint},
        },
        "canonicalizedBody": b64(body),
    }
    if fault == "no proof":
        del made["inclusionProof"]
    if fault == "no promise":
        del made["inclusionPromise"]
    return made


def to_be_signed(envelope):
    """The bytes that an envelope signs (DSSE)."""
    payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"]
    return f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload


def dsse_body(envelope, text, certificate, fault):
    """The body of an entry of Rekor v1 for an envelope, which is `text` as JSON."""
    payload = base64.b64decode(envelope["payload"])
    digest = lambda data: {"algorithm": "sha256", "value": hashlib.sha256(data).hexdigest()}
    logged = payload + b" " if fault == "another artifact" else payload
    verifier = b64(certificate.public_bytes(PEM))
    signatures = [{"signature": it["sig"], "verifier": verifier} for it in envelope["signatures"]]
    spec = {"envelopeHash": digest(text), "payloadHash": digest(logged), "signatures": signatures}
    return compact({"apiVersion": "0.0.1", "kind": "dsse", "spec": spec})


def main(package, subject, issuer, fault=None):
    ca, registration, log, root = sigstore()
    with open("trust.json", "w") as file:
        json.dump(trust_config(registration, log, root), file)
    place = package if os.path.isfile(package) else os.path.join(package, "model.sig")
    with open(place) as file:
        envelope = json.load(file)["dsseEnvelope"]
    key = new_key()
    leaf = certificate(key, subject, issuer, fault, ca, registration, root)
    signature = b64(key.sign(to_be_signed(envelope), SHA256))
    text = compact({**envelope, "signatures": [{"sig": signature}]})
    envelope["signatures"] = [{"sig": signature, "keyid": ""}]
    body = dsse_body(envelope, text, leaf, fault)
    bundle = {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {
            "certificate": {"rawBytes": b64(leaf.public_bytes(DER))},
            "tlogEntries": [entry([b"another entry", body], log, fault)],
            "timestampVerificationData": {"rfc3161Timestamps": []},
        },
        "dsseEnvelope": envelope,
    }
    with open(place, "w") as file:
        json.dump(bundle, file)


if __name__ == "__main__":
    main(*sys.argv[1:])

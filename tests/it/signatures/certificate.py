"""A certificate of a test's authority, for a key on P-256.

Usage: certificate.py ROOT NAME SUBJECT [FAULT]

Makes ROOT.pem unless it is there, NAME.pem, the key, and NAME.chain.pem: its certificate and the
one between it and the root.
"""

import datetime, os, sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def write_key(path, key):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(key.private_bytes(PEM, PKCS8, serialization.NoEncryption()))


def certificate(subject, issuer, key, is_authority, begin=-30, days=60):
    usage = [True] + [False] * 4 + [is_authority] * 2 + [False] * 2
    return (
        x509.CertificateBuilder(name(issuer), name(subject), key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + begin * DAY)
        .not_valid_after(NOW + (begin + days) * DAY)
        .add_extension(x509.BasicConstraints(is_authority, None), True)
        .add_extension(x509.KeyUsage(*usage), True)
    )


def authority(root):
    try:
        with open(f"{root}.key.pem", "rb") as file:
            return serialization.load_pem_private_key(file.read(), None)
    except FileNotFoundError:
        key = new_key()
        write_key(f"{root}.key.pem", key)
        made = certificate(root, root, key, True, -300, 600).sign(key, hashes.SHA256())
        with open(f"{root}.pem", "wb") as file:
            file.write(made.public_bytes(PEM))
        return key


def main(root, to, subject, fault=None):
    root_key, between, key = authority(root), new_key(), new_key()
    signer = new_key() if fault == "chain" else root_key
    middle = certificate("between", root, between, True, -300, 600).sign(signer, hashes.SHA256())
    begin, days = (-90, 30) if fault == "expired" else (-30, 60)
    usage = ExtendedKeyUsageOID.SERVER_AUTH if fault == "usage" else ExtendedKeyUsageOID.CODE_SIGNING
    leaf = certificate(subject, "between", key, fault == "authority", begin, days)
    leaf = leaf.add_extension(x509.ExtendedKeyUsage([usage]), False)
    names = [x509.RFC822Name(subject)] if "@" in subject else []
    if fault == "names":
        names.append(x509.RFC822Name("eve@acme.example"))
    if names:
        leaf = leaf.add_extension(x509.SubjectAlternativeName(names), False)
    leaf = leaf.sign(new_key() if fault == "leaf" else between, hashes.SHA256())
    write_key(f"{to}.pem", key)
    with open(f"{to}.chain.pem", "wb") as file:
        file.write(leaf.public_bytes(PEM) + middle.public_bytes(PEM))


main(*sys.argv[1:])

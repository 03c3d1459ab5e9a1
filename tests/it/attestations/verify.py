"""Verifies `adder/attestations.jsonl` by Sigstore's own client.

Usage: verify.py SUBJECT ISSUER
"""

import sys

from sigstore.models import Bundle, ClientTrustConfig
from sigstore.verify import Verifier
from sigstore.verify.policy import Identity

with open("trust.json") as file:
    trust = ClientTrustConfig.from_json(file.read())
with open("adder/attestations.jsonl") as file:
    bundle = Bundle.from_json(file.read().strip())
policy = Identity(identity=sys.argv[1] + "@refs/tags/v1", issuer=sys.argv[2])
kind, _ = Verifier(trusted_root=trust.trusted_root).verify_dsse(bundle, policy)
print(kind)

"""Signed manifests: who stands for a release signs its plan, the hashes of its files and what was found to hold.

Ed25519 through ``cryptography``, which is an extra: ``pip install 'shoal[sign]'``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.auditor import Finding
from shoal.errors import DataError, PlanError
from shoal.files import read_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNED = ("plan", "seed", "input", "output", "guarantees")
"""What of a manifest is signed: neither timings nor versions say what a release is."""


_LONGEST_KEY = 65_536  # bytes; an Ed25519 key takes some hundred


def signed_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return what is signed of a manifest, in one form: sorted keys, no spaces."""
    content = {name: manifest.get(name) for name in SIGNED}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sign(manifest: Mapping[str, Any], key_file: str) -> dict[str, str]:
    """Sign a manifest with the private key of a PEM file; return what a reader needs to check it."""
    from cryptography.hazmat.primitives import serialization

    key = _private_key(key_file)
    public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"algorithm": "ed25519", "public_key": public.hex(), "value": key.sign(signed_bytes(manifest)).hex()}


def require_key(key_file: str) -> None:
    """Refuse a file that nothing can be signed with, before any work."""
    _private_key(key_file)


def check_signature(manifest_file: str, release: str, plan: str, public_key: str | None) -> list[Finding]:
    """Judge the signature of a manifest, and whether release and plan are those that were signed."""
    content = _read(manifest_file)
    try:
        manifest = json.loads(content)
        given, written = manifest["signature"], manifest["output"]["file_sha256"]
        key, value = bytes.fromhex(given["public_key"]), bytes.fromhex(given["value"])
        signed = signed_bytes(manifest)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise DataError(f"{manifest_file} is not a signed manifest: sign one by `shoal anonymize --sign KEY`") from None
    expected = None if public_key is None else _public_key(public_key)
    signer = f"by the key {key.hex()[:16]}…"
    genuine = _verifies(key, value, signed)
    findings = [Finding("signature", genuine, signer + ("" if genuine else " does not fit what the manifest says"))]
    if expected is not None:
        findings.append(
            Finding("signer", key == expected, signer + ("" if key == expected else ", another than given"))
        )
    digest = hashlib.sha256(Path(release).read_bytes()).hexdigest()
    same = digest == written
    findings.append(Finding("signed_file", same, f"the release is {'the' if same else 'not the'} file that was signed"))
    planned = _as_manifests_have_it(plan) == manifest.get("plan")
    findings.append(
        Finding("signed_plan", planned, f"the plan is {'the' if planned else 'not the'} one that was signed")
    )
    return findings


def _as_manifests_have_it(plan: str) -> Any:
    from shoal.plan import Plan

    return Plan.load(plan).to_dict()


def _verifies(key: bytes, value: bytes, message: bytes) -> bool:
    _require()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(path: str) -> Ed25519PrivateKey:
    _require()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        content = read_secret(path, option="--sign", harm="sign in your name", most=_LONGEST_KEY)
    except FileNotFoundError:
        raise PlanError(f"--sign {path} is not there: openssl genpkey -algorithm ed25519 makes a key") from None
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise PlanError(
            f"{path} must hold an Ed25519 private key without a password, as PEM: openssl genpkey makes one"
        )
    return key


def _public_key(path: str) -> bytes:
    _require()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    content = _read(path)
    try:
        key: Ed25519PublicKey | Any = serialization.load_pem_public_key(content)
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise PlanError(f"{path} must hold an Ed25519 public key as PEM: openssl pkey -pubout makes one")
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {(error.strerror or '').lower()}") from None


def _require() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise PlanError("signatures need the package cryptography: pip install 'shoal[sign]'") from None

"""Signed manifests: who stands for a release signs its plan, the hashes of its files and what was found to hold.

Ed25519 through ``cryptography``, which is an extra: ``pip install 'shoal[sign]'``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from shoal.auditor import Finding
from shoal.errors import DataError, PlanError
from shoal.files import read_secret
from shoal.files.csv_format import CSV
from shoal.files.format import ending_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNED = ("plan", "seed", "input", "output", "guarantees")
"""What of a manifest is signed: neither timings nor versions say what a release is."""

SIGNED_IF_THERE = ("previous",)
"""What else is: of the release of a table that has grown, how many records were held back."""

_ALGORITHM = "ed25519"
_LONGEST_KEY = 65_536  # bytes; an Ed25519 key takes some hundred
_PRIME = 2**255 - 19
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL = frozenset({0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH})
"""The second coordinates of points of small order: with such a key, one signature fits whatever message."""


def signed_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return what is signed of a manifest, in one form: sorted keys, no spaces."""
    there = [name for name in SIGNED_IF_THERE if name in manifest]
    return _one_form({name: manifest.get(name) for name in (*SIGNED, *there)})


def _one_form(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sign(manifest: Mapping[str, Any], key_file: str, *, name: str | None = None) -> dict[str, str]:
    """Sign a manifest with the private key of a PEM file; return what a reader needs to check it.

    Messages call the file by its name where it has another one for people than its path.
    """
    from cryptography.hazmat.primitives import serialization

    key = _private_key(key_file, name or key_file)
    public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"algorithm": _ALGORITHM, "public_key": public.hex(), "value": key.sign(signed_bytes(manifest)).hex()}


def require_key(key_file: str) -> None:
    """Refuse a file that nothing can be signed with, before any work."""
    _private_key(key_file, key_file)


def check_signature(
    manifest_file: str, release: str, plan: str, public_key: str | None, original: str | None = None
) -> list[Finding]:
    """Judge the signature of a manifest, and whether release, plan and original are those that were signed."""
    from shoal.plan import Plan

    with _signed_manifest(manifest_file) as manifest:
        if manifest["signature"]["algorithm"] != _ALGORITHM:
            raise ValueError("another algorithm")
        given, written, source = manifest["signature"], manifest["output"]["file_sha256"], dict(manifest["input"])
        key, value = bytes.fromhex(given["public_key"]), bytes.fromhex(given["value"])
        signed = signed_bytes(manifest)
    expected = None if public_key is None else _public_key(public_key)
    signer = f"by the key {key.hex()[:16]}…"
    genuine = _verifies(key, value, signed)
    findings = [Finding("signature", genuine, signer + ("" if genuine else " does not fit what the manifest says"))]
    if expected is not None:
        same = key == expected
        findings.append(Finding("signer", same, signer + ("" if same else ", another than given")))
    findings.append(_signed("file", "release", same=_digest(release) == written))
    same = _one_form(Plan.load(plan).to_dict()) == _one_form(manifest.get("plan"))  # to Python, true is 1
    findings.append(_signed("plan", "plan", same=same))
    if original is not None:
        findings.append(_signed_original(original, source))
    return findings


def signed_held_back(manifest_file: str) -> int:
    """Return how many records a signed manifest says to be held back for a later release."""
    with _signed_manifest(manifest_file) as manifest:
        return int(manifest.get("previous", {}).get("held_back", 0))


@contextmanager
def _signed_manifest(file: str) -> Iterator[Mapping[str, Any]]:
    """Read a signed manifest; what is none is said in a sentence, also where what is made of it finds out."""
    content = _read(file)
    try:
        yield json.loads(content, object_pairs_hook=_each_once)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError, RecursionError):
        raise DataError(f"{file} is not a signed manifest: sign one by `shoal anonymize --sign KEY`") from None


def _signed_original(original: str, signed: Mapping[str, Any]) -> Finding:
    """Judge whether persons were counted in the table that was signed; one that was no CSV file cannot be compared."""
    name, digest = (signed.get(key) for key in ("file", "file_sha256"))
    same = digest == _digest(original)
    as_text = ending_of(PurePath(str(name))) in CSV.endings  # of a manifest that does not say the format
    if not same and (digest is None or signed.get("format", CSV.name if as_text else None) != CSV.name):
        return Finding("signed_original", None, "the table that was signed was no CSV file, and cannot be compared")
    return _signed("original", "original", same=same)


def _signed(part: str, name: str, *, same: bool) -> Finding:
    which = f"{'the' if same else 'not the'} {'one' if part == 'plan' else 'file'}"
    return Finding(f"signed_{part}", same, f"the {name} is {which} that was signed")


def _digest(path: str) -> str:
    return hashlib.sha256(_read(path)).hexdigest()


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what says a thing twice: one reader would believe the first, another the last."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key stands twice")
    return content


def _verifies(key: bytes, value: bytes, message: bytes) -> bool:
    _require()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if int.from_bytes(key, "little") % 2**255 % _PRIME in _SMALL:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(path: str, name: str) -> Ed25519PrivateKey:
    _require()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        content = read_secret(path, option="--sign", harm="sign in your name", most=_LONGEST_KEY)
    except FileNotFoundError:
        raise PlanError(f"--sign {path} is not there: openssl genpkey -algorithm ed25519 makes a key") from None
    key = _loaded(lambda: load_pem_private_key(content, password=None))
    if not isinstance(key, Ed25519PrivateKey):
        raise PlanError(
            f"{name} must hold an Ed25519 private key without a password, as PEM: openssl genpkey makes one"
        )
    return key


def _public_key(path: str) -> bytes:
    _require()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    content = _read(path)
    key = _loaded(lambda: serialization.load_pem_public_key(content))
    if not isinstance(key, Ed25519PublicKey):
        raise PlanError(f"{path} must hold an Ed25519 public key as PEM: openssl pkey -pubout makes one")
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def _loaded(load: Callable[[], Any]) -> Any:
    """Return the key that is loaded, None where the file holds none, or one that asks for a password."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


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

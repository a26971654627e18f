"""Certificates for tests, made when they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Issued:
    """A certificate and its key, in PEM."""

    certificate: x509.Certificate
    private: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key(self) -> bytes:
        form = serialization.PrivateFormat.PKCS8
        return self.private.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())

    def put(self, folder: Path, name: str) -> tuple[Path, Path]:
        """The files of certificate and key."""
        paths = folder / f"{name}.pem", folder / f"{name}.key"
        paths[0].write_bytes(self.pem)
        paths[1].write_bytes(self.key)
        return paths


def issue(name: str, by: Issued | None = None, also: Sequence[str] = ()) -> Issued:
    """A certificate of this name: an authority, unless it is issued `by` one. `also`: URIs in it."""
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names: list[x509.GeneralName] = [x509.DNSName("localhost"), *(x509.UniformResourceIdentifier(uri) for uri in also)]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )
    return Issued(builder.sign(by.private if by else private, hashes.SHA256()), private)

"""TLS of the server: certificates that are read again when their files change, and callers known by theirs."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc
import structlog

log = structlog.get_logger(__name__)


class TlsError(Exception):
    """The certificates cannot be used; the message says which file and why."""


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """PEM files. With `client_ca_file`, only callers whose certificate it signed may connect."""

    cert_file: Path
    key_file: Path
    client_ca_file: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.cert_file, self.key_file, *((self.client_ca_file,) if self.client_ca_file else ()))


class Certificates:
    """What is served, and the state of the files that it was read from."""

    def __init__(self, options: TlsOptions) -> None:
        """Raises TlsError."""
        self._options = options
        self._seen = self._state()
        self._current = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """For a port; each handshake asks whether the files have changed."""
        return grpc.dynamic_ssl_server_credentials(
            self._current,
            self._changed,  # type: ignore[arg-type]  # gRPC takes None for "as before", its stubs do not know
            require_client_authentication=self._options.client_ca_file is not None,
        )

    def _changed(self) -> grpc.ServerCertificateConfiguration | None:
        """The new certificates, or None for those that are served already: also when the new ones cannot be used, which is
        a renewal half done."""
        try:
            state = self._state()
            if state == self._seen:
                return None
            fresh = self._read()
        except TlsError as error:
            log.warning("certificates were not renewed", cause=str(error))
            return None
        self._seen, self._current = state, fresh
        log.info("certificates were renewed")
        return fresh

    def _state(self) -> tuple[tuple[int, int, int], ...]:
        try:
            return tuple((s.st_mtime_ns, s.st_size, s.st_ino) for s in (path.stat() for path in self._options.files))
        except OSError as error:
            raise TlsError(f"cannot read {error.filename} ({error.strerror})") from error

    def _read(self) -> grpc.ServerCertificateConfiguration:
        options = self._options
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.cert_file, options.key_file, password=_no_password)
            if options.client_ca_file is not None:
                context.load_verify_locations(options.client_ca_file)
            pair = (options.key_file.read_bytes(), options.cert_file.read_bytes())
            roots = options.client_ca_file.read_bytes() if options.client_ca_file else None
        except (OSError, ValueError) as error:  # an ssl.SSLError is an OSError
            names = ", ".join(str(path) for path in options.files)
            raise TlsError(
                f"cannot use {names}: give a PEM certificate and the unencrypted key of the same pair"
            ) from error
        return grpc.ssl_server_certificate_configuration([pair], roots)


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def subjects(context: grpc.aio.ServicerContext[object, object]) -> tuple[str, ...]:
    """The names in the caller's verified certificate, alternative names first; empty without one."""
    known = context.auth_context()
    found: list[str] = []
    for field in ("x509_subject_alternative_name", "x509_common_name"):
        found += [value.decode("utf-8", "replace") for value in known.get(field, ())]
    return tuple(dict.fromkeys(found))

"""Where the server is and who asks: from arguments, then the environment, then a file.

| argument        | environment             | in the file     |
|-----------------|-------------------------|-----------------|
| `addr`          | `RECALLD_ADDR`          | `addr`          |
| `key`           | `RECALLD_KEY`           | `key`           |
|                 | `RECALLD_KEY_FILE`      | `key_file`      |
| `namespace`     | `RECALLD_NAMESPACE`     | `namespace`     |
| `tls`           | `RECALLD_TLS`           | `tls`           |
| `ca_file`       | `RECALLD_CA_FILE`       | `ca_file`       |
| `cert_file`     | `RECALLD_CERT_FILE`     | `cert_file`     |
| `cert_key_file` | `RECALLD_CERT_KEY_FILE` | `cert_key_file` |
| `insecure`      | `RECALLD_INSECURE`      | `insecure`      |

The file is `$XDG_CONFIG_HOME/recalld/config.toml`, or `~/.config/recalld/config.toml`.
"""

from __future__ import annotations

import os
import re
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recalld.errors import ConfigurationError

DEFAULT_ADDR = "127.0.0.1:50051"
DEFAULT_NAMESPACE = "default"
_TEXTS = ("addr", "key", "key_file", "namespace", "ca_file", "cert_file", "cert_key_file")
_SWITCHES = ("tls", "insecure")
_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Settings:
    """A complete set. The key is never shown."""

    addr: str = DEFAULT_ADDR
    key: str = field(default="", repr=False)
    namespace: str = DEFAULT_NAMESPACE
    tls: bool = False
    ca_file: str = ""
    cert_file: str = ""
    cert_key_file: str = ""
    insecure: bool = False

    def __post_init__(self) -> None:
        # gRPC would refuse such a key with an error that shows it.
        if self.key and not re.fullmatch(r"[\x21-\x7e]+", self.key):
            raise ConfigurationError("key: holds blanks or characters that are not plain ASCII: give it as it was made")
        if bool(self.cert_file) != bool(self.cert_key_file):
            raise ConfigurationError("cert_file and cert_key_file go together: give both or neither")
        if not self.tls and (self.ca_file or self.cert_file):
            raise ConfigurationError("ca_file and cert_file are for TLS: set tls too")


def load(given: Mapping[str, Any], file: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings: what is None in `given` comes from the environment, then from the file, then from the defaults.

    Raises ConfigurationError for a file that cannot be read, a word in it that is not known, and a bad value.
    """
    env = os.environ if environment is None else environment
    chosen = _read_file(file or _default_file(env), required=file is not None)
    chosen = _over(chosen, {name: _from_environment(name, env) for name in (*_TEXTS, *_SWITCHES)})
    chosen = _over(chosen, given)
    key_file = chosen.pop("key_file", "")
    if key_file and not chosen.get("key"):
        try:
            chosen["key"] = Path(key_file).expanduser().read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"key_file {key_file}: {_cause(error)}") from None
    return Settings(**chosen)


def _over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with what is given in `top`; a key on top also hides a key file below, and the other way round."""
    given = {name: value for name, value in top.items() if value is not None}
    hidden = {"key", "key_file"} if given.keys() & {"key", "key_file"} else set()
    return {name: value for name, value in base.items() if name not in hidden} | given


def _default_file(env: Mapping[str, str]) -> Path:
    home = env.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    return Path(home) / "recalld" / "config.toml"


def _from_environment(name: str, env: Mapping[str, str]) -> str | bool | None:
    variable = f"RECALLD_{name.upper()}"
    value = env.get(variable, "").strip()
    if not value:
        return None
    if name not in _SWITCHES:
        return value
    if value.lower() not in _WORDS:
        raise ConfigurationError(f"{variable}: takes true or false")
    return _WORDS[value.lower()]


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError:
        if required:
            raise ConfigurationError(f"{path}: there is no such file") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {_cause(error)}") from None
    except tomllib.TOMLDecodeError:
        # The parser's message may quote the line that holds the key.
        raise ConfigurationError(f"{path}: is not valid TOML") from None
    for name, value in data.items():
        kind = str if name in _TEXTS else bool if name in _SWITCHES else None
        if kind is None:
            raise ConfigurationError(f"{path}: {name} is not known; known are {', '.join((*_TEXTS, *_SWITCHES))}")
        if not isinstance(value, kind):
            raise ConfigurationError(f"{path}: {name} takes {'a text' if kind is str else 'true or false'}")
    if data.get("key") and os.name == "posix" and path.stat().st_mode & 0o077:
        warnings.warn(f"{path} holds a key and others can read it: chmod 600 it", stacklevel=4)
    return data


def _cause(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or "cannot be read") if isinstance(error, OSError) else "is not a text file"

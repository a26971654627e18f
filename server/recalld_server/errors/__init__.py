"""Every way in which a call can fail for a reason that its caller can act on. Imports nothing else of ours.

RecalldError
├── InvalidField            a field breaks a rule
│   ├── BlankContent
│   ├── ContentTooLarge
│   ├── InvalidPageToken
│   └── InvalidResumeToken
├── InvalidCredential
├── RoleRequired
├── NotFound
│   ├── NamespaceNotFound
│   ├── MemoryNotFound
│   └── ResourceNotFound    key, grant, session, reflection, review, search
├── AlreadyExists
│   ├── NamespaceExists
│   └── MemoryExists
├── EtagMismatch
├── FailedPrecondition
│   ├── RequestIdReused
│   ├── DigestRequired
│   ├── DigestMismatch
│   ├── WrongState
│   └── EmbeddingModelMismatch
├── QuotaExceeded
├── Unavailable
│   ├── ModelUnavailable
│   ├── StoreUnavailable
│   ├── SlowReader
│   └── Draining
├── NotImplementedYet
└── DeadlinePassed

`reason` is the name in the contract's ErrorReason; `metadata` goes to the caller with it. Messages hold no memory text,
no query and no credential, since they may be logged.
"""

from recalld_server.errors.asked import (
    BlankContent,
    ContentTooLarge,
    InvalidCredential,
    InvalidField,
    InvalidPageToken,
    InvalidResumeToken,
    RoleRequired,
)
from recalld_server.errors.base import RecalldError
from recalld_server.errors.later import (
    DeadlinePassed,
    Draining,
    ModelUnavailable,
    NotImplementedYet,
    QuotaExceeded,
    SlowReader,
    StoreUnavailable,
    Unavailable,
)
from recalld_server.errors.stored import (
    AlreadyExists,
    DigestMismatch,
    DigestRequired,
    EmbeddingModelMismatch,
    EtagMismatch,
    FailedPrecondition,
    MemoryExists,
    MemoryNotFound,
    NamespaceExists,
    NamespaceNotFound,
    NotFound,
    RequestIdReused,
    ResourceNotFound,
    WrongState,
)

__all__ = [
    "AlreadyExists",
    "BlankContent",
    "ContentTooLarge",
    "DeadlinePassed",
    "DigestMismatch",
    "DigestRequired",
    "Draining",
    "EmbeddingModelMismatch",
    "EtagMismatch",
    "FailedPrecondition",
    "InvalidCredential",
    "InvalidField",
    "InvalidPageToken",
    "InvalidResumeToken",
    "MemoryExists",
    "MemoryNotFound",
    "ModelUnavailable",
    "NamespaceExists",
    "NamespaceNotFound",
    "NotFound",
    "NotImplementedYet",
    "QuotaExceeded",
    "RecalldError",
    "RequestIdReused",
    "ResourceNotFound",
    "RoleRequired",
    "SlowReader",
    "StoreUnavailable",
    "Unavailable",
    "WrongState",
]

"""An object store on loopback."""

from tests.buckets import buckets as buckets

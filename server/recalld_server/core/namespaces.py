"""Namespaces and their policies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from croniter import CroniterError, croniter

from recalld_server.core import pages
from recalld_server.core.access import Access, Room, asker
from recalld_server.core.answers import from_json
from recalld_server.core.policy import DEFAULTS, Action, require
from recalld_server.core.types import CallOptions
from recalld_server.errors import EtagMismatch, InvalidField, NamespaceNotFound, RoleRequired
from recalld_server.model import Namespace, Page, Policy, Principal, Role, utc_now
from recalld_server.store.base import AnswerKnown, Directory

CRON_FIELDS = 5
CRON_LINE = re.compile(r"[0-9A-Za-z*/, -]+")
CRON_WORD = re.compile("[a-z]+")
CRON_WORDS = frozenset(
    [
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "sun",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
    ]
)


class Namespaces:
    """Makes, reads, lists, changes and erases the namespaces that a principal may see."""

    def __init__(self, directory: Directory, access: Access) -> None:
        self._directory = directory
        self._access = access

    async def create(
        self, principal: Principal, name: str, *, description: str, policy: Policy, call: CallOptions
    ) -> Namespace:
        """Raises NamespaceExists; a retry with the same request gets the namespace."""
        require(principal, Action.ADMINISTER)
        if principal.namespaces and name not in principal.namespaces:
            raise NamespaceNotFound(name)
        check_policy(policy)
        try:
            namespace = await self._directory.create_namespace(
                principal.tenant_id,
                name,
                description=description,
                policy=policy,
                request=call.request,
                actor=principal.actor,
            )
        except AnswerKnown:
            return await self.get(principal, name)
        self._access.forget()
        return namespace

    async def get(self, principal: Principal, name: str) -> Namespace:
        """As it is now. Raises NamespaceNotFound."""
        room = await self._access.open(principal, name, Action.READ)
        reach = await self._directory.find_namespace(asker(principal), name)
        if reach is None or reach.namespace.namespace_id != room.scope.namespace_id:
            raise NamespaceNotFound
        return replace(reach.namespace, name=name)

    async def list(self, principal: Principal, *, parent: str, page_size: int, page_token: str) -> Page[Namespace]:
        """By name, those that the principal may read."""
        require(principal, Action.READ)
        place = pages.decode(page_token, ("namespaces", parent), (str,))
        found = await self._directory.list_namespaces(
            asker(principal), parent=parent, after=str(place[0]) if place else "", limit=page_size + 1
        )
        if len(found) <= page_size:
            return Page(found)
        return Page(found[:page_size], pages.encode([found[page_size - 1].name], ("namespaces", parent)))

    async def update(
        self,
        principal: Principal,
        name: str,
        *,
        description: str | None,
        rules: Mapping[str, object] | None,
        etag: str,
        call: CallOptions,
    ) -> Namespace:
        """Changes the description, unless it is None, and the rules that are given: None for one means its default.
        Raises InvalidField, EtagMismatch; a retry with the same request gets the namespace as it is then."""
        room = await self._access.open(principal, name, Action.ADMINISTER)

        def change(old: Namespace) -> tuple[str, Policy]:
            if etag and etag != old.etag:
                raise EtagMismatch(old.etag, old.revision)
            policy = replace(old.policy, **(rules or {}))  # type: ignore[arg-type]
            check_policy(policy)
            return old.description if description is None else description, policy

        try:
            namespace = await self._directory.update_namespace(
                room.scope.tenant_id, room.scope.namespace_id, change, request=call.request, actor=room.scope.actor
            )
        except AnswerKnown:
            return await self.get(principal, name)
        self._access.forget()
        if namespace is None:
            raise NamespaceNotFound
        return replace(namespace, name=name)

    async def delete(self, principal: Principal, name: str, call: CallOptions) -> Mapping[str, int]:
        """Erases a namespace of the principal's own tenant with all that it holds; how many of each kind. A retry gets
        the first answer, although the namespace is gone."""
        if call.request is not None:
            known = await self._directory.answered(principal.tenant_id, principal.agent_id, call.request)
            if known is not None:
                return from_json(dict[str, int], known)  # type: ignore[arg-type]
        room = await self._access.open(principal, name, Action.ADMINISTER)
        own(room)
        try:
            counts = await self._directory.delete_namespace(
                room.scope.tenant_id, room.scope.namespace_id, request=call.request, actor=room.scope.actor
            )
        except AnswerKnown as answered:
            return from_json(dict[str, int], answered.answer)
        self._access.forget()
        if counts is None:
            raise NamespaceNotFound
        return counts


def own(room: Room) -> None:
    """Raises RoleRequired for another tenant's namespace: who else may use it, and its end, are its tenant's to say."""
    if room.foreign:
        raise RoleRequired(Role.ADMIN.name, room.scope.namespace)


def check_policy(policy: Policy) -> None:
    """Raises InvalidField for rules that cannot be kept."""
    if policy.reflection_schedule and not _is_cron(policy.reflection_schedule):
        raise InvalidField(
            "policy.reflection_schedule",
            "must be a cron line of five fields, such as 0 3 * * 1-5: minute, hour, day of month, month, day of week",
        )
    weights = (policy.lexical_weight, policy.vector_weight)
    defaults = (DEFAULTS.lexical_weight, DEFAULTS.vector_weight)
    if not any(default if given is None else given for given, default in zip(weights, defaults, strict=True)):
        raise InvalidField("policy.vector_weight", "is 0 together with lexical_weight: nothing would ever be found")


def _is_cron(line: str) -> bool:
    """Five plain fields that some day fit: the library also takes seconds, years, and names of its own making."""
    words = CRON_WORD.findall(line.lower())
    if not CRON_LINE.fullmatch(line) or len(line.split()) != CRON_FIELDS or not set(words) <= CRON_WORDS:
        return False
    try:
        croniter(line, utc_now()).get_next()
    except CroniterError:
        return False
    return True

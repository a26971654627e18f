/** Namespaces, grants and keys. Answers are the contract's messages. */

import { randomUUID } from "node:crypto";

import type { MessageInitShape } from "@bufbuild/protobuf";

import type { CallSettings, Connection } from "../connection.js";
import { RoleSchema, type Grant, type Key, type Namespace, type PolicySchema } from "../gen/recalld/v1/namespace_service_pb.js";
import { toTimestamp } from "../values/common.js";
import { numbers } from "../values/others.js";
import { toNumber, toNumbers, type Role } from "../words.js";
import { pages, type MutationSettings } from "./bound.js";

export type Policy = Omit<MessageInitShape<typeof PolicySchema>, "$typeName" | "$unknown">;

const named = (given: MutationSettings) => ({ requestId: given.requestId ?? randomUUID() });

export class Namespaces {
  constructor(private readonly connection: Connection) {}

  async create(name: string, given: MutationSettings & { description?: string; policy?: Policy } = {}): Promise<Namespace> {
    const { description, policy } = given;
    const request = { name, description, policy, ...named(given) };
    const answer = await this.connection.mutate((options) => this.connection.namespace.createNamespace(request, options), given);
    return answer.namespace!;
  }

  async get(name: string, given: CallSettings = {}): Promise<Namespace> {
    const answer = await this.connection.read((options) => this.connection.namespace.getNamespace({ name }, options), given);
    return answer.namespace!;
  }

  /** By name; `parent` gives itself and what is below it. */
  list(given: CallSettings & { parent?: string; pageSize?: number } = {}): AsyncGenerator<Namespace> {
    const { parent, pageSize } = given;
    return pages(
      (pageToken) =>
        this.connection.read(
          (options) => this.connection.namespace.listNamespaces({ parent, pageSize, pageToken }, options),
          given,
        ),
      (page) => page.namespaces,
    );
  }

  /** Changes the description and those parts of the policy that are given. */
  async update(
    name: string,
    given: MutationSettings & { description?: string; policy?: Policy; etag?: string },
  ): Promise<Namespace> {
    const { description, policy, etag } = given;
    const paths = Object.keys(policy ?? {}).map((part) => `policy.${part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`);
    if (description !== undefined) paths.push("description");
    const request = { name, description, policy, etag, updateMask: { paths }, ...named(given) };
    const answer = await this.connection.mutate((options) => this.connection.namespace.updateNamespace(request, options), given);
    return answer.namespace!;
  }

  /** Erases a namespace and everything in it; `confirm` repeats its name. Returns how many rows of each kind went. */
  async delete(name: string, confirm: string, given: MutationSettings = {}): Promise<Record<string, number>> {
    const request = { name, confirm, ...named(given) };
    const answer = await this.connection.mutate((options) => this.connection.namespace.deleteNamespace(request, options), given);
    return numbers(answer.counts);
  }
}

/** Who a grant is for: one of these. */
export type Grantee = { agentId: string } | { granteeRole: Role } | { tenant: string };

export class Grants {
  constructor(private readonly connection: Connection) {}

  async create(
    namespace: string,
    grantee: Grantee,
    role: Role,
    given: MutationSettings & { recursive?: boolean; expireTime?: Date } = {},
  ): Promise<Grant> {
    const grant = {
      namespace,
      grantee: toGrantee(grantee),
      role: toNumber(RoleSchema, role, "role"),
      recursive: given.recursive,
      expireTime: toTimestamp(given.expireTime, "expireTime"),
    };
    const request = { grant, ...named(given) };
    const answer = await this.connection.mutate((options) => this.connection.namespace.createGrant(request, options), given);
    return answer.grant!;
  }

  list(namespace: string, given: CallSettings & { pageSize?: number } = {}): AsyncGenerator<Grant> {
    const request = { namespace, pageSize: given.pageSize };
    return pages(
      (pageToken) =>
        this.connection.read((options) => this.connection.namespace.listGrants({ ...request, pageToken }, options), given),
      (page) => page.grants,
    );
  }

  async revoke(namespace: string, grantId: string, given: MutationSettings = {}): Promise<void> {
    const request = { namespace, grantId, ...named(given) };
    await this.connection.mutate((options) => this.connection.namespace.revokeGrant(request, options), given);
  }
}

function toGrantee(grantee: Grantee) {
  if ("agentId" in grantee) return { case: "agentId" as const, value: grantee.agentId };
  if ("tenant" in grantee) return { case: "tenant" as const, value: grantee.tenant };
  return { case: "granteeRole" as const, value: toNumber(RoleSchema, grantee.granteeRole, "granteeRole") };
}

export class Keys {
  constructor(private readonly connection: Connection) {}

  /** Makes a key. Its secret is shown this once. */
  async create(
    agentId: string,
    roles: Role | readonly Role[],
    given: MutationSettings & { namespaces?: readonly string[]; description?: string; expireTime?: Date } = {},
  ): Promise<{ key: Key; secret: string }> {
    const request = {
      agentId,
      roles: toNumbers(RoleSchema, roles, "roles"),
      namespaces: [...(given.namespaces ?? [])],
      description: given.description,
      expireTime: toTimestamp(given.expireTime, "expireTime"),
      ...named(given),
    };
    const answer = await this.connection.mutate((options) => this.connection.namespace.createKey(request, options), given);
    return { key: answer.key!, secret: answer.secret };
  }

  /** The tenant's keys, newest first, without their secrets. */
  list(given: CallSettings & { pageSize?: number } = {}): AsyncGenerator<Key> {
    return pages(
      (pageToken) =>
        this.connection.read(
          (options) => this.connection.namespace.listKeys({ pageSize: given.pageSize, pageToken }, options),
          given,
        ),
      (page) => page.keys,
    );
  }

  async revoke(keyId: string, given: MutationSettings = {}): Promise<Key> {
    const request = { keyId, ...named(given) };
    const answer = await this.connection.mutate((options) => this.connection.namespace.revokeKey(request, options), given);
    return answer.key!;
  }
}

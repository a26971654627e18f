/** The client itself, and views of it. */

import { Connection, type CallSettings } from "./connection.js";
import type { AuditEvent } from "./gen/recalld/v1/namespace_service_pb.js";
import { load, type ClientOptions } from "./settings.js";
import { toTimeRange, type TimeRange } from "./values/common.js";
import { Grants, Keys, Namespaces } from "./verbs/admin.js";
import { pages } from "./verbs/bound.js";
import { Living } from "./verbs/living.js";

/** Every verb on one namespace. */
export class NamespaceView extends Living {}

/**
 * Speaks to a recalld server; its verbs are bound to the default namespace. Opens one connection at the first call and
 * keeps it: make one client and share it, and `close()` it at the end.
 */
export class Client extends NamespaceView {
  readonly namespaces: Namespaces;
  readonly grants: Grants;
  readonly keys: Keys;

  /** Makes no call. What is left out comes from RECALLD_*. Throws ConfigurationError. */
  constructor(options: ClientOptions = {}) {
    const settings = load(options);
    super(new Connection(settings), settings.namespace);
    this.namespaces = new Namespaces(this.connection);
    this.grants = new Grants(this.connection);
    this.keys = new Keys(this.connection);
  }

  /** The verbs bound to another namespace, on the same connection. */
  namespace(name: string): NamespaceView {
    return new NamespaceView(this.connection, name);
  }

  /** Who did what, latest first, in one namespace or in the whole tenant. Needs ADMIN. */
  auditEvents(
    given: CallSettings & { namespace?: string; agentId?: string; range?: TimeRange; pageSize?: number } = {},
  ): AsyncGenerator<AuditEvent> {
    const { namespace, agentId, pageSize } = given;
    const request = { namespace, agentId, pageSize, range: toTimeRange(given.range, "range") };
    return pages(
      (pageToken) =>
        this.connection.read((options) => this.connection.namespace.listAuditEvents({ ...request, pageToken }, options), given),
      (page) => page.events,
    );
  }

  /** Ends the connection and the calls on it. Can be called again. */
  close(): void {
    this.connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

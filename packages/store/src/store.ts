import type { LeaseStore } from "@bowline/runtime";

import type { AgentStore } from "./agents/agent-store.ts";
import type { ChangeFeed } from "./changes/change-feed.ts";
import type { Installation } from "./installation.ts";
import type { ObjectStore } from "./objects/object-store.ts";
import type { AuditLog } from "./records/audit-log.ts";
import type { EventLog } from "./records/event-log.ts";
import type { Retention } from "./retention.ts";

/**
 * Everything the server remembers, on SQLite or PostgreSQL; one contract suite holds for both.
 *
 * Every change of any object gets the next number of one global count, its resourceVersion. Numbers become visible in
 * their order: who has read all changes up to one will never find a smaller one later. There may be gaps.
 *
 * Methods reject with a `BowlineError`. `DatabaseUnavailable` means that the database could not be reached or could
 * not finish; a write that failed so may still have happened when the connection broke during its commit.
 */
export interface Store {
  readonly objects: ObjectStore;
  /** The changes of objects in order: what watchers follow and what the relay hands to the broker. */
  readonly changes: ChangeFeed;
  /** Who works on a key. Times are the database's; on SQLite, where one process has the database, its own. */
  readonly leases: LeaseStore;
  readonly audit: AuditLog;
  readonly events: EventLog;
  /** The keys of agents, what they join by, and where they are connected. */
  readonly agents: AgentStore;
  /** What all replicas on this database agree on. */
  readonly installation: Installation;
  /** Deletes what is too old, in small steps. */
  readonly retention: Retention;
  /** Encrypts with the newest key what is still encrypted with another; resolves to how many objects and values those were. */
  reencrypt(): Promise<number>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Waits for writes under way, ends every follower, and lets go of files, locks and connections. */
  close(): Promise<void>;
}

import type { Migration } from "../migration.ts";
import { agents } from "./agents.ts";
import { auditProxy } from "./audit-proxy.ts";
import { eventRevisions } from "./event-revisions.ts";
import { initial } from "./initial.ts";
import { installation } from "./installation.ts";
import { replicas } from "./replicas.ts";

/** Every migration, oldest first. */
export const migrations: readonly Migration[] = [
  initial,
  installation,
  eventRevisions,
  agents,
  auditProxy,
  replicas,
];

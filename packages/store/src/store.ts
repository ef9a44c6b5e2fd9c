import { randomBytes, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";

import { kinds as allKinds, type Kind } from "@bowline/api";
import { createUuidV7Generator, systemClock, type Clock } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";

import { AgentStore } from "./agents/agent-store.ts";
import { writeBackup, type BackupOptions } from "./backup/write-backup.ts";
import { restoreBackup, type RestoredBackup, type RestoreOptions } from "./backup/restore-backup.ts";
import { ChangeTable, type Change } from "./log/change.ts";
import { LogFeed } from "./log/log-feed.ts";
import type { Log } from "./log/log.ts";
import { readDatabaseFacts, type DatabaseFacts } from "./database-facts.ts";
import type { DatabaseUse } from "./engine/data-folder-lock.ts";
import type { Engine } from "./engine/engine.ts";
import { firstRowOf } from "./engine/transaction.ts";
import { PostgresEngine, type PostgresOptions } from "./engine/postgres-engine.ts";
import { SqliteEngine } from "./engine/sqlite-engine.ts";
import type { GraphLimits } from "./graph/graph.ts";
import { GraphStore } from "./graph/graph-store.ts";
import { Installation } from "./installation.ts";
import { DatabaseLeaseStore } from "./database-lease-store.ts";
import { Committer } from "./objects/committer.ts";
import { ObjectStore } from "./objects/object-store.ts";
import { reencryptObjects } from "./objects/reencrypt-objects.ts";
import { reindexKinds } from "./objects/reindex-kinds.ts";
import { ProviderResources } from "./provisioning/provider-resources.ts";
import { AuditLog } from "./records/audit-log.ts";
import { EventLog } from "./records/event-log.ts";
import { reportChanges, type ReportChange } from "./reports/report-changes.ts";
import { ReportStore } from "./reports/report-store.ts";
import type { ReportLimits } from "./reports/batch-fold.ts";
import { Retention } from "./retention.ts";
import { Migrator } from "./schema/migrator.ts";
import { KeyRing, type EncryptionKey } from "./secrets/key-ring.ts";
import { reencryptBlobs } from "./workloads/blob.ts";
import { Inventory } from "./workloads/inventory.ts";
import { RevisionStore } from "./workloads/revision-store.ts";

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
  /** The changes of objects in order: what watchers follow and what gives controllers their work. */
  readonly changes: Log<Change>;
  /** Leases: which worker has a key. Times are the database's; on SQLite, where one process has the database, its own. */
  readonly leases: LeaseStore;
  readonly audit: AuditLog;
  readonly events: EventLog;
  /** The keys of agents, the tokens they join by, and where they are connected. */
  readonly agents: AgentStore;
  /** The contents that definitions were resolved to. */
  readonly revisions: RevisionStore;
  /** The objects that instances own in clusters. */
  readonly inventory: Inventory;
  /** What providers have made outside for clusters. */
  readonly resources: ProviderResources;
  /** The objects of workloads as agents have observed them. */
  readonly reports: ReportStore;
  /** That something else was reported, of any cluster. */
  readonly reportChanges: LogFeed<ReportChange>;
  /** The graphs of clusters: what their objects say, and said. */
  readonly graph: GraphStore;
  /** Values that all replicas on this database agree on. */
  readonly installation: Installation;
  /** Names the installation: in its backups, and in the marks of what is made outside for it. */
  installationId(): Promise<string>;
  /** Deletes what is too old, in small steps. */
  readonly retention: Retention;
  /** Encrypts with the newest key what is still encrypted with another; resolves to how many objects, values, records and contents those were. */
  reencrypt(): Promise<number>;
  /** The database as it is at this moment, as the bytes of a backup; they are made while they are read. */
  backup(options: NewBackup): Promise<Readable>;
  /** Ids of the keys that it has; the newest first. */
  readonly encryptionKeys: readonly string[];
  /** What there is to know of the database for whoever looks after it. */
  facts(): Promise<DatabaseFacts>;
  /** Of a database that this process has for itself; undefined where others may work on it. */
  readonly use: DatabaseUse | undefined;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Waits for writes under way, ends every follower, and lets go of files, locks and connections. */
  close(): Promise<void>;
}

type NewBackup = Omit<BackupOptions, "installation" | "nowMs">;

const idName = "id";

export type DatabaseOptions =
  | { readonly type: "sqlite"; /** A path, or `:memory:`. */ readonly file: string }
  | ({ readonly type: "postgres" } & PostgresOptions);

export interface StoreOptions {
  readonly database: DatabaseOptions;
  /** The keys that secrets are encrypted with; the newest comes first. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly kinds?: readonly Kind[];
  readonly clock?: Clock;
  /** How often to look for what other replicas wrote. */
  readonly pollMs?: number;
  readonly reportLimits?: ReportLimits;
  readonly graphLimits?: Partial<GraphLimits>;
}

export interface RestoreDatabaseOptions
  extends
    Pick<StoreOptions, "database" | "encryptionKeys" | "clock">,
    Pick<RestoreOptions, "open" | "onProgress"> {}

/** One process has a SQLite database for itself, so there is nothing to find but what it missed by a failed read. */
const defaultPollMs = { sqlite: 1_000, postgres: 100 } as const;

/** Nobody waits for events and views of other replicas as they do for changes of objects. */
const eventPollMs = 1_000;

/** Opens the database, brings its schema up to date, and returns the store; the caller closes it. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { kinds = allKinds, clock = systemClock } = options;
  const keys = new KeyRing(options.encryptionKeys, randomBytes);
  const engine = openEngine(options.database, clock);
  try {
    await new Migrator(engine, () => clock.now()).up();
    await reindexKinds(engine, kinds, clock.now());
  } catch (error) {
    await engine.close();
    throw error;
  }
  const newId = createUuidV7Generator(clock, randomBytes);
  const pollMs = options.pollMs ?? defaultPollMs[engine.dialect];
  const changes = new LogFeed({ table: new ChangeTable(engine), clock, pollMs });
  const events = new EventLog({ engine, clock, newId, pollMs: options.pollMs ?? eventPollMs });
  const committer = new Committer(engine, clock, () => changes.wake());
  const installation = new Installation(engine, keys);
  const resources = new ProviderResources(engine, keys);
  const reports = new ReportStore({
    engine,
    newId,
    onEvents: () => events.feed.wake(),
    limits: options.reportLimits,
  });
  const graph = new GraphStore({
    engine,
    clock,
    limits: options.graphLimits,
    pollMs: options.pollMs ?? eventPollMs,
  });
  const installationId = async (): Promise<string> =>
    (await installation.recall(idName)) ?? (await installation.remember(idName, randomUUID()));
  const told = reportChanges({ engine, clock, pollMs: options.pollMs ?? eventPollMs });
  return {
    objects: new ObjectStore(engine, committer, { keys, newId, kinds }),
    changes,
    leases: new DatabaseLeaseStore(engine),
    audit: new AuditLog(engine, clock, newId),
    events,
    agents: new AgentStore(engine, clock, newId),
    revisions: new RevisionStore({ engine, clock, keys }),
    inventory: new Inventory(engine),
    resources,
    reports,
    reportChanges: told,
    graph,
    installation,
    installationId,
    retention: new Retention(engine, clock),
    reencrypt: async () =>
      (await reencryptObjects(engine, keys, clock.now())) +
      (await installation.reencrypt()) +
      (await resources.reencrypt()) +
      (await reencryptBlobs(engine, keys)),
    backup: async (wanted) => {
      const id = await installationId();
      return writeBackup(engine, { ...wanted, installation: id, nowMs: clock.now() });
    },
    facts: () => readDatabaseFacts(engine, clock),
    encryptionKeys: keys.ids,
    use: engine.use,
    ping: () => ping(engine),
    async close() {
      await Promise.all([committer.idle(), reports.idle(), graph.idle()]);
      await Promise.all([changes.close(), events.feed.close(), graph.close(), told.close()]);
      await engine.close();
    },
  };
}

/** For the commands that change the schema by hand. The caller closes the engine. */
export function openEngine(database: DatabaseOptions, clock: Clock): Engine {
  return database.type === "sqlite"
    ? new SqliteEngine({ file: database.file, clock })
    : new PostgresEngine({ ...database, clock, random: Math.random });
}

/** Puts a backup into the empty database; the caller closes nothing. */
export async function restoreDatabase({
  database,
  encryptionKeys,
  clock = systemClock,
  ...rest
}: RestoreDatabaseOptions): Promise<RestoredBackup> {
  const keys = new KeyRing(encryptionKeys, randomBytes);
  const engine = openEngine(database, clock);
  try {
    return await restoreBackup({ engine, keys, clock, ...rest });
  } finally {
    await engine.close();
  }
}

async function ping(engine: Engine): Promise<void> {
  await engine.read(() => firstRowOf(engine.queries.selectFrom("store_state").select("id")));
}

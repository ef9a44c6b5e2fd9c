import { DatabaseSync } from "node:sqlite";

import { AccessGrant, Token, User, validateWrite, type Role, type SpecOf } from "@bowline/api";
import { openAccess, type OpenAccess } from "@bowline/auth";
import { createLogger, Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { openStore, type DatabaseOptions, type Store } from "@bowline/store";
import { testKey, tables } from "@bowline/store/testing";
import { Client } from "pg";

import { loadConfig } from "../config/server-config.ts";
import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { openFront } from "../run/open-front.ts";
import { allSamples, bodyOf } from "../api/testing/sample-bodies.ts";

/** Tokens that somebody may show; the last four are no good any more. */
export type Caller = Role | "expired" | "revoked" | "disabled" | "deleted";

export interface FuzzServer extends AsyncDisposable {
  readonly port: number;
  readonly store: Store;
  readonly secrets: Readonly<Record<Caller, string>>;
  /** Everything that was logged: nothing at all, unless the server was at fault. */
  readonly log: readonly string[];
  /** Of the database. */
  readonly state: () => Promise<StoredState>;
  /** Answers no more, and writes down what it still has to. */
  readonly stop: () => Promise<void>;
}

/** Small enough to be met in tests, and larger than any body they mean well. */
export const maxBodyBytes = 512 * 1024;

const limits = {
  "--limits-body": String(maxBodyBytes),
  "--limits-requests": "1000000",
  "--limits-stranger-requests": "1000000",
};

/**
 * All routes of the server, on a port, with real access control on a real database. Its clock stands still, so that
 * nothing is written in the background: what the database shows after a request, the request has done.
 */
export async function openFuzzServer(database: DatabaseOptions): Promise<FuzzServer> {
  const clock = new ManualClock(Date.now());
  const log: string[] = [];
  const logger = createLogger({
    name: "test",
    level: "info",
    destination: { write: (line) => void log.push(line) },
  });
  const store = await openStore({ database, encryptionKeys: [testKey("k1")], pollMs: 20 });
  const access = await openAccess({ store, clock });
  const secrets = await createCallers(store, access);
  await createSamples(store);
  const reader = await openStateReader(database);
  const grants = new GrantCache({ store, clock, random: Math.random });
  await grants.start();
  const graphs = new ClusterGraphs({ source: store.graph, clock });
  const front = await openFront({
    config: loadConfig({ flags: { "--tls": "off", "--listen": "127.0.0.1:0", ...limits }, environment: {} }),
    store,
    access,
    background: { checks: new Map() },
    metrics: new Metrics({ version: "1.2.3", revision: "test" }),
    certificate: undefined,
    grants,
    graphs,
    joinEndpoint: () => ({ servers: ["https://bowline.example.com"] }),
    clock,
    logger,
    version: "1.2.3",
    draining: new AbortController().signal,
  });
  const { port } = await front.listen({ host: "127.0.0.1", port: 0 });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= front.close(AbortSignal.timeout(5_000)));
  return {
    port,
    store,
    secrets,
    log,
    state: () => reader.read(),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      graphs.close();
      await grants.close();
      await access.close();
      await reader[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

/** Some of each kind, and of the records, so that all of them have pages and so cursors. */
async function createSamples(store: Store): Promise<void> {
  const { objects, audit, events } = store;
  const counted = await ToldCluster.create(store, "counted");
  await counted.tellViews({ nodes: { count: 3 }, images: { count: 7 } });
  const record = { actor: { user: "operator" }, verb: "read", outcome: "denied", httpStatus: 403 } as const;
  await audit.append(["r1", "r2", "r3"].map((requestId) => ({ ...record, requestId })));
  const event = {
    type: "Normal",
    reason: "Told",
    source: "test",
    regarding: { kind: "Cluster", name: "a" },
  } as const;
  await events.record(["One.", "Two.", "Three."].map((message) => ({ ...event, message })));
  for (const { kind, spec, otherSpec, thirdSpec } of allSamples) {
    // What one has for itself no second one can have, and `spec` is what requests create.
    const specs = {
      sample: thirdSpec === undefined ? spec : otherSpec,
      "sample-2": thirdSpec ?? spec,
    };
    for (const [name, stored] of Object.entries(specs)) {
      const accepted = validateWrite(kind, bodyOf(name, stored));
      if (!accepted.ok) throw new Error(`The sample of ${kind.kind} is not valid.`);
      await objects.create(kind, accepted.object);
    }
  }
}

async function createCallers(store: Store, access: OpenAccess): Promise<Readonly<Record<Caller, string>>> {
  const users = { operator: "admin", editor: "editor", viewer: "viewer", deputy: "admin" } as const;
  for (const [name, role] of Object.entries(users)) {
    await store.objects.create(User, {
      metadata: { name, labels: {}, annotations: {} },
      spec: { role, groups: [], disabled: name === "deputy" },
    });
  }
  // Admins reach no cluster by their role alone.
  await store.objects.create(AccessGrant, {
    metadata: { name: "everywhere", labels: {}, annotations: {} },
    spec: {
      subjects: [{ user: "operator" }],
      clusters: { selector: { matchLabels: {}, matchExpressions: [] } },
      kubernetes: { groups: [] },
    },
  });
  const issue = (name: string, spec: SpecOf<typeof Token>): Promise<string> =>
    createToken(store, access, name, spec);
  const secrets = {
    admin: await issue("operator-1", { user: "operator" }),
    editor: await issue("editor-1", { user: "editor" }),
    viewer: await issue("viewer-1", { user: "viewer" }),
    expired: await issue("operator-2", { user: "operator", expiresAt: "2026-01-01T00:00:00Z" }),
    revoked: await issue("operator-3", { user: "operator" }),
    deleted: await issue("operator-4", { user: "operator" }),
    disabled: await issue("deputy-1", { user: "deputy" }),
  };
  await store.objects.writeStatus(Token, "operator-3", ({ status }) => ({
    ...status,
    revokedAt: "2026-01-02T00:00:00Z",
  }));
  await store.objects.delete(Token, "operator-4");
  return secrets;
}

async function createToken(
  { objects }: Store,
  access: OpenAccess,
  name: string,
  spec: SpecOf<typeof Token>,
): Promise<string> {
  const metadata = { name, labels: {}, annotations: {} };
  const by = { user: "operator", role: "admin", groups: [], method: "token" } as const;
  const issued = access.issue(by, Token, { metadata, spec });
  await objects.create(Token, issued.desired);
  return String(issued.onlyInAnswer?.["secret"]);
}

/** How many rows each table has, and the numbers of the last change and the last event: any write changes one of them. */
export type StoredState = Readonly<Record<string, unknown>>;

/** Looks into the database past the store, which might keep something to itself. */
interface StateReader extends AsyncDisposable {
  read(): Promise<StoredState>;
}

const counts = Object.keys(tables).map((table) => `(select count(*) from ${table}) as ${table}`);
const query = `select ${counts.join(", ")}, (select sum(revision) from store_state) as revision_sum`;

async function openStateReader(database: DatabaseOptions): Promise<StateReader> {
  return database.type === "sqlite" ? sqliteReader(database.file) : postgresReader(database.url);
}

function sqliteReader(file: string): StateReader {
  const connection = new DatabaseSync(file, { readOnly: true });
  const statement = connection.prepare(query);
  return {
    read: () => Promise.resolve({ ...statement.get() }),
    [Symbol.asyncDispose]: () => Promise.resolve(connection.close()),
  };
}

async function postgresReader(url: string): Promise<StateReader> {
  const connection = new Client(url);
  await connection.connect();
  return {
    read: async () => (await connection.query<StoredState>(query)).rows[0] ?? {},
    [Symbol.asyncDispose]: () => connection.end(),
  };
}

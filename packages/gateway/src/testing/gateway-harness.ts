import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:tls";

import { Cluster, type AuditRecord } from "@bowline/api";
import { createLogger, Metrics, systemClock, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { onTestFinished } from "vitest";

import type { DatabaseOptions, Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { certificateNames, fingerprintOf } from "@bowline/tls";
import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";
import { joinSecretHash } from "../identity/join-service.ts";
import { openGateway, type Gateway } from "../open-gateway.ts";
import type { OpenAnnouncements } from "../replicas/announcement.ts";
import { replicaServerName } from "../replicas/peer-links.ts";
import type { GraphSink } from "../reports/graph-intake.ts";
import type { ReportSink } from "../reports/workload-intake.ts";
import { encodeJoinToken, tunnelProtocol } from "@bowline/protocol";
import { TestAgent, type TestEndpoint } from "./test-agent.ts";

export interface GatewayHarness extends TestEndpoint {
  readonly store: Store;
  readonly gateway: Gateway;
  /** Names it among the replicas. */
  readonly owner: string;
  readonly createCluster: (name: string) => Promise<Cluster>;
  readonly createJoinToken: (cluster: string, expiresInMs?: number) => Promise<string>;
  /** An agent that has joined a new cluster of this name. */
  readonly joinedAgent: (cluster: string) => Promise<TestAgent>;
  readonly cluster: (name: string) => Promise<Cluster>;
  /** `reason` of the condition AgentConnected. */
  readonly agentReason: (name: string) => Promise<string | undefined>;
  /** Closes the gateway, and resolves to what was written to the audit, newest first. */
  readonly audited: () => Promise<readonly AuditRecord[]>;
  readonly close: () => Promise<void>;
}

export interface HarnessOptions {
  readonly clock?: Clock;
  readonly database?: DatabaseOptions;
  /** Instead of one that is opened for it. */
  readonly store?: Store;
  /** How it hears of the other replicas on the same store; alone without it. */
  readonly openAnnouncements?: OpenAnnouncements;
  readonly reportSink?: ReportSink;
  readonly graphSink?: GraphSink;
}

const made = makeCertificates();

async function makeCertificates() {
  const nowMs = systemClock.now();
  const authority = await makeAuthority(nowMs);
  const names = certificateNames(["127.0.0.1", "localhost"]);
  const replicaNames = certificateNames([replicaServerName]);
  return {
    authority,
    serving: await issueServingCertificate(authority, { names, nowMs }),
    replica: await issueServingCertificate(authority, { names: replicaNames, nowMs }),
  };
}

/** A gateway with a store of its own, on a port, with real TLS. */
export async function openTestGateway(options: HarnessOptions = {}): Promise<GatewayHarness> {
  const { clock = systemClock, database = { type: "sqlite", file: ":memory:" }, openAnnouncements } = options;
  const { authority, serving, replica } = await made;
  const trust = {
    caPem: authority.cert,
    secret: Buffer.alloc(32, "known to replicas only"),
    openAnnouncements,
  };
  const storeOptions = clock === systemClock ? {} : { clock, pollMs: 100 };
  const store = options.store ?? (await openTestStore(database, storeOptions));
  const owner = randomUUID();
  const gateway = await openGateway({
    store,
    clock,
    random: Math.random,
    logger: createLogger({ name: "test", level: "silent" }),
    metrics: new Metrics({ version: "1.2.3", revision: "test" }),
    version: "1.2.3",
    owner,
    reportSink: options.reportSink,
    graphSink: options.graphSink,
    ...(openAnnouncements === undefined ? {} : { replicas: trust }),
  });
  const server = createServer({ ...serving, ALPNProtocols: [tunnelProtocol, "h2"] }, (socket) =>
    gateway.accept(socket),
  );
  server.addContext(replicaServerName, replica);
  const url = await listen(server);
  await gateway.enter({ url, agentUrls: [url] });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll(gateway, server, clock));
  onTestFinished(close);
  const createJoinToken = async (cluster: string, expiresInMs = 3_600_000): Promise<string> => {
    const secret = randomUUID();
    const expiresAtMs = clock.now() + expiresInMs;
    await store.agents.createJoinToken({ hash: joinSecretHash(secret), cluster, expiresAtMs });
    return encodeJoinToken({ secret, servers: [url], caFingerprint: fingerprintOf(authority.cert) });
  };
  const createCluster = async (name: string): Promise<Cluster> => {
    const metadata = { name, labels: {}, annotations: {} };
    return (await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } })).object;
  };
  const cluster = async (name: string): Promise<Cluster> => {
    const found = await store.objects.get(Cluster, name);
    if (found === undefined) throw new Error(`There is no cluster ${name}.`);
    return found;
  };
  const endpoint = { url, ca: authority.cert };
  return {
    ...endpoint,
    store,
    gateway,
    owner,
    createCluster,
    createJoinToken,
    cluster,
    async joinedAgent(name) {
      await createCluster(name);
      const agent = new TestAgent(endpoint);
      await agent.join(await createJoinToken(name));
      return agent;
    },
    agentReason: async (name) =>
      (await cluster(name)).status.conditions.find(({ type }) => type === "AgentConnected")?.reason,
    audited: async () => {
      await close();
      return (await store.audit.list()).items;
    },
    close,
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** Writes are gathered for a moment first, which a clock that stands still never lets pass. */
async function closeAll(gateway: Gateway, server: Server, clock: Clock): Promise<void> {
  server.close();
  const closed = gateway.close(0, AbortSignal.timeout(100));
  const timePasses = setInterval(() => {
    if (clock instanceof ManualClock) void clock.advance(100);
  }, 10);
  try {
    await closed;
  } finally {
    clearInterval(timePasses);
  }
}

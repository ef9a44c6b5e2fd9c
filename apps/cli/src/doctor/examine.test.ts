import type { Diagnosis } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { ClientFacts, ClusterFacts, LocalFacts } from "./doctor-facts.ts";
import { examine } from "./examine.ts";
import { isProblem, type Finding } from "./finding.ts";
import {
  goodClient,
  goodCluster,
  goodFolder,
  goodServer,
  neverBackedUp,
  nowMs,
} from "./testing/sample-facts.ts";

const gib = 1_024 ** 3;
const good = { client: goodClient, server: goodServer, clusters: [goodCluster], local: goodFolder };

const textOf = ({ severity, check, message }: Finding): string => `${severity} ${check}: ${message}`;

test("nothing is said of an installation that is well", () => {
  expect(examine(good)).toEqual([]);
});

test("the worst comes first, and each has something to do", () => {
  const findings = examine({
    ...good,
    client: { ...goodClient, version: "0.1.0" },
    server: { ...neverBackedUp, checks: [{ name: "broker", ok: false, reason: "no answer" }] },
  });
  expect(findings.map(({ severity }) => severity)).toEqual(["error", "warning", "note"]);
  for (const { advice } of findings) expect(advice).toMatch(/\.$/u);
});

describe("from the side of the client", () => {
  const failure = { code: "ConnectionFailed", message: "Nothing listens there." };
  test.each<[string, Partial<ClientFacts>, string]>([
    ["config", { configProblem: failure }, "error config-file: Nothing listens there."],
    ["no server", { choiceProblem: failure }, "error context: Nothing listens there."],
    ["dead", { connectionProblem: failure }, "error connection: Nothing listens there."],
    ["token", { identity: undefined, identityProblem: failure }, "error token: Nothing listens there."],
    ["role", { identity: { user: "eve", role: "viewer" } }, 'note role: You are "eve" with the role viewer'],
    [
      "ends",
      { certificateEndsMs: nowMs + 3 * 86_400_000 },
      "warning certificate: The certificate of the server ends in 3 days, at 2026-11-21T12:00:00.000Z.",
    ],
    [
      "ended",
      { certificateEndsMs: nowMs - 1 },
      "error certificate: The certificate of the server has ended at",
    ],
    [
      "clock",
      { clockAheadMs: -45_000 },
      "warning clock: The clock of the server is 45 seconds behind that of",
    ],
    [
      "wrong clock",
      { clockAheadMs: 3_600_000 },
      "error clock: The clock of the server is 1 hour ahead of that",
    ],
    ["old", { version: "0.3.0" }, "warning client-version: This program is 0.3.0 and the server 0.5.1"],
    ["other", { version: "1.5.0" }, "warning client-version: This program is 1.5.0 and the server 0.5.1"],
    [
      "token ends",
      { identity: { user: "admin", role: "admin", expiresAt: "2026-11-21T12:00:00Z" } },
      "warning token: Your token ends in 3 days.",
    ],
  ])("%s", (_name, changed, expected) => {
    const found = examine({ client: { ...goodClient, ...changed } });
    expect(found.map(textOf)).toEqual([expect.stringContaining(expected)]);
  });

  test("a version of the same line, or one that nobody can read, is fine", () => {
    for (const version of ["0.4.9", "0.6.0", "unknown"]) {
      expect(examine({ client: { ...goodClient, version } })).toEqual([]);
    }
  });
});

describe("from the side of the server", () => {
  const { database } = goodServer;
  test.each<[string, Partial<Diagnosis>, string]>([
    [
      "not ready",
      { checks: [{ name: "outbox", ok: false, reason: "3 changes wait" }] },
      "error outbox: The server is not ready: outbox: 3 changes wait.",
    ],
    [
      "disk",
      { disk: { freeBytes: gib / 2, totalBytes: gib } },
      "warning disk: The disk of the data folder has 512.0 MiB of 1.0 GiB left.",
    ],
    [
      "full",
      { disk: { freeBytes: 1_000, totalBytes: gib } },
      "error disk: The disk of the data folder has 1000 bytes",
    ],
    [
      "newer",
      { database: { ...database, unknownMigrations: ["0099-x"] } },
      "warning schema: The database was changed by a newer version of Bowline (0099-x).",
    ],
    [
      "pending",
      { database: { ...database, pendingMigrations: ["0018-y"] } },
      "warning schema: The database lacks changes that this version has (0018-y).",
    ],
    [
      "slow",
      { database: { ...database, latencyMs: 900 } },
      "warning database-latency: The database took 900 ms",
    ],
    [
      "keys",
      { database: { ...database, encryptionKeys: ["k0", "k1"] } },
      "error encryption-keys: Something in the database is encrypted with a key that this server does not have (k0).",
    ],
    [
      "old keys",
      { encryptionKeys: ["k2", "k1"] },
      "note encryption-keys: Something in the database is still encrypted with an older key (k1).",
    ],
    [
      "renewal",
      { certificate: { validFrom: "2026-09-01T00:00:00Z", validTo: "2026-11-20T12:00:00Z", selfMade: true } },
      "warning certificate-renewal: The certificate that the server made for itself ends in 2 days",
    ],
    [
      "replicas",
      {
        replicas: [
          { id: "a", url: "https://a", version: "0.5.0" },
          { id: "b", url: "https://b", version: "0.6.0" },
          { id: "c", url: "https://c" },
        ],
      },
      "warning replica-versions: The replicas are not of one version: this one is 0.5.0, https://b is 0.6.0 and https://c is an older version.",
    ],
    [
      "orphans",
      {
        orphans: [{ provider: "eks", type: "ec2:vpc", id: "vpc-1", region: "eu-1", clusterId: "c1" }],
      },
      "warning orphans: There are things outside that this installation has made, and that no Cluster knows of: ec2:vpc vpc-1 in eu-1.",
    ],
    [
      "providers that were not asked",
      { providersNotAsked: ["exec"] },
      "note orphans: It is not known whether clusters have left something behind: exec could not be asked.",
    ],
    [
      "unknown",
      { unknownWorkloads: [{ cluster: "prod", workload: "late" }] },
      "warning unknown-workloads: Clusters have workloads that the server does not know: late in prod.",
    ],
    [
      "backup",
      { lastBackupAt: "2026-11-01T00:00:00Z" },
      "note backup: The last backup was made 17 days ago.",
    ],
  ])("%s", (_name, changed, expected) => {
    const found = examine({ client: goodClient, server: { ...goodServer, ...changed } });
    expect(found.map(textOf)).toEqual([expect.stringContaining(expected)]);
  });

  test("it could not be asked", () => {
    const serverProblem = { code: "NotFound", message: "There is no such address." };
    expect(examine({ client: goodClient, serverProblem }).map(textOf)).toEqual([
      "error diagnosis: There is no such address.",
    ]);
  });
});

describe("agents", () => {
  const agent = { version: "0.4.2", lastSeenAt: "2026-11-18T09:00:00Z" };
  test.each<[string, Partial<ClusterFacts>, string]>([
    [
      "away",
      { isConnected: false, agent },
      "error agent-offline: The agent of the cluster prod is away since 3 hours (2026-11-18T09:00:00Z).",
    ],
    [
      "never there",
      { isConnected: false, agent: undefined },
      "note agent-missing: 1 cluster never had an agent: prod.",
    ],
    [
      "too old",
      { agent: { ...agent, version: "0.3.9" } },
      "warning agent-too-old: 1 agent more than one minor version older than the server, which is 0.5.0: prod (0.3.9).",
    ],
    [
      "too new",
      { agent: { ...agent, version: "0.6.0" } },
      "warning agent-too-new: 1 agent newer than the server, which is 0.5.0: prod (0.6.0).",
    ],
  ])("%s", (_name, changed, expected) => {
    const found = examine({
      client: goodClient,
      server: goodServer,
      clusters: [{ ...goodCluster, ...changed }],
    });
    expect(found.map(textOf)).toEqual([expected]);
  });
});

describe("a data folder on this machine", () => {
  const failure = { code: "X", message: "It is broken." };
  test.each<[string, Partial<LocalFacts>, string]>([
    ["not there", { exists: false }, "error data-folder: There is no data folder at /data."],
    ["nobody", { isInUse: false, isTaken: false }, "error process: No server runs on the data in /data."],
    [
      "port",
      { isInUse: false },
      "error port: No server works on the database in /data, and another program listens on 127.0.0.1:7443.",
    ],
    [
      "silent",
      { isTaken: false },
      "warning process: A process works on the database in /data, and nothing listens on 127.0.0.1:7443.",
    ],
    ["keys", { keysProblem: failure }, "error encryption-keys: It is broken."],
    ["database", { databaseProblem: failure }, "error database: It is broken."],
    ["disk", { freeBytes: 5_000 }, "error disk: The disk of /data has 4.9 KiB left."],
    [
      "empty",
      { hasDatabase: false, isInUse: false, isTaken: false, keysProblem: failure },
      "note data-folder: There is no database in /data",
    ],
    [
      "schema",
      { pendingMigrations: ["0018-y"] },
      "note schema: The database lacks changes that this version has (0018-y).",
    ],
  ])("%s", (_name, changed, expected) => {
    const found = examine({ client: goodClient, local: { ...goodFolder, ...changed } });
    expect(found.map(textOf)).toEqual([expect.stringContaining(expected)]);
  });
});

test("notes are no problems", () => {
  const findings = examine({ ...good, server: neverBackedUp });
  expect(findings.filter(isProblem)).toEqual([]);
  expect(findings.map(textOf)).toEqual(["note backup: The audit log knows of no backup made with Bowline."]);
});

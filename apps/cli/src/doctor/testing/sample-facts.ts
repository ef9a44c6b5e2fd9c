import type { Diagnosis } from "@bowline/api";

import type { ClientFacts, ClusterFacts, LocalFacts } from "../doctor-facts.ts";

export const nowMs = Date.parse("2026-11-18T12:00:00Z");
const gib = 1_024 ** 3;

/** A server that has never been backed up. */
export const neverBackedUp: Diagnosis = {
  version: "0.5.0",
  role: "all",
  now: new Date(nowMs).toISOString(),
  certificate: { validFrom: "2026-11-01T00:00:00Z", validTo: "2027-01-30T00:00:00Z", selfMade: true },
  disk: { freeBytes: 50 * gib, totalBytes: 100 * gib },
  database: {
    engine: "sqlite",
    version: "3.50.4",
    sizeBytes: gib / 100,
    latencyMs: 1,
    appliedMigrations: ["0001-initial"],
    pendingMigrations: [],
    unknownMigrations: [],
    encryptionKeys: ["k1"],
  },
  encryptionKeys: ["k1"],
  checks: [{ name: "database", ok: true }],
  replicas: [],
  unknownWorkloads: [],
  clustersNotAsked: [],
  settings: [],
};

/** A server of which nothing is wrong. */
export const goodServer: Diagnosis = { ...neverBackedUp, lastBackupAt: "2026-11-18T02:00:00Z" };

export const goodClient: ClientFacts = {
  version: "0.5.0",
  nowMs,
  server: "https://bowline.example.com",
  serverVersion: "0.5.1",
  clockAheadMs: 0,
  certificateEndsMs: Date.parse("2027-01-30T00:00:00Z"),
  identity: { user: "admin", role: "admin" },
};

export const goodCluster: ClusterFacts = {
  name: "prod",
  isConnected: true,
  agent: { version: "0.4.2", lastSeenAt: "2026-11-18T11:59:50Z" },
  createdAt: "2026-01-01T00:00:00Z",
};

export const goodFolder: LocalFacts = {
  folder: "/data",
  exists: true,
  hasDatabase: true,
  isInUse: true,
  pendingMigrations: [],
  freeBytes: 50 * gib,
  address: "127.0.0.1:7443",
  isTaken: true,
};

import { expect, test } from "vitest";

import { checkUpgrade, type UpgradeFacts } from "./upgrade-checks.ts";
import { goodCluster, goodServer, neverBackedUp } from "./testing/sample-facts.ts";

const good: UpgradeFacts = {
  target: "0.6.0",
  targetMigrations: ["0001-initial"],
  server: goodServer,
  clusters: [{ ...goodCluster, agent: { version: "0.5.0", lastSeenAt: "2026-11-18T11:59:50Z" } }],
  unfinishedRollouts: [],
};
const old = { version: "0.4.2", lastSeenAt: "2026-11-18T09:00:00Z" };

test("nothing stands against an upgrade by one minor version after a backup", () => {
  expect(checkUpgrade(good)).toEqual([]);
});

test.each<[string, Partial<UpgradeFacts>, string]>([
  ["back", { target: "0.4.0" }, "error target: The server is 0.5.0, which is newer than 0.4.0."],
  [
    "too far",
    { target: "0.8.0", clusters: [] },
    "error target: From 0.5.0 to 0.8.0 is more than one minor version",
  ],
  [
    "older schema",
    { targetMigrations: [] },
    "error schema: The database has changes that this version does not know (0001-initial)",
  ],
  [
    "migrations",
    { targetMigrations: ["0001-initial", "0002-b"] },
    "note schema: The database will be changed by 1 migration: 0002-b.",
  ],
  [
    "old agents",
    { clusters: [{ ...goodCluster, agent: old }] },
    "warning agent-too-old: 1 agent more than one minor version older than the server, which is 0.6.0: prod (0.4.2).",
  ],
  [
    "agents away",
    { clusters: [{ ...goodCluster, agent: { ...old, version: "0.5.0" }, isConnected: false }] },
    "warning agent-offline: 1 agent away: prod.",
  ],
  ["rollouts", { unfinishedRollouts: ["shop"] }, "warning rollouts: 1 rollout under way: shop."],
  [
    "no backup",
    { server: neverBackedUp },
    "warning backup: The audit log knows of no backup made with Bowline.",
  ],
  [
    "old backup",
    { server: { ...goodServer, lastBackupAt: "2026-11-16T00:00:00Z" } },
    "warning backup: The last backup was made 2 days ago.",
  ],
  [
    "replicas",
    { server: { ...goodServer, replicas: [{ id: "b", url: "https://b", version: "0.6.0" }] } },
    "warning replica-versions: The replicas are not of one version",
  ],
  [
    "not ready",
    { server: { ...goodServer, checks: [{ name: "broker", ok: false, reason: "gone" }] } },
    "error broker: The server is not ready: broker: gone.",
  ],
])("%s", (_name, changed, expected) => {
  const found = checkUpgrade({ ...good, ...changed });
  expect(found.map(({ severity, check, message }) => `${severity} ${check}: ${message}`)).toEqual([
    expect.stringContaining(expected),
  ]);
});

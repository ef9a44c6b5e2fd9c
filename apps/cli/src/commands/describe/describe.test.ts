import { Cluster, Credential, WorkloadDefinition, WorkloadInstance, type EventRecord } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { startObjectServer, type ObjectServer } from "../../testing/object-server.ts";
import { sampleObject } from "../../testing/sample-object.ts";
import { webTree } from "../../testing/sample-tree.ts";
import { describeAll } from "./describe.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
  const { client } = server;
  await client.create(Cluster, { metadata: { name: "prod" }, spec: { region: "eu-1" } });
  await client.create(Credential, {
    metadata: { name: "git" },
    spec: { type: "token", data: { token: "a-secret" } },
  });
  const git = { url: "https://git.example.com/web.git", credential: "git" };
  await client.create(WorkloadDefinition, { metadata: { name: "web" }, spec: { source: { git } } });
  await client.create(WorkloadInstance, {
    metadata: { name: "web-prod", labels: { env: "prod" } },
    spec: { definition: "web", placement: { clusters: ["prod", "gone"] } },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function section(text: string, title: string): string[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line === `${title}:`) + 1;
  const length = lines.slice(start).findIndex((line) => !line.startsWith("  "));
  return start === 0 ? [] : lines.slice(start, start + length).map((line) => line.trim());
}

describe("an object", () => {
  test("shows metadata, spec, and what an object refers to, there or not", async () => {
    const { out, code } = await server.bowline(["describe", "wi", "web-prod", "--no-events"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Name: {9}web-prod\nKind: {9}WorkloadInstance\nLabels: {7}env=prod\n/);
    expect(out).toMatch(/^Generation: {3}1 \(observed/m);
    expect(section(out, "Spec")).toContain("Definition:       web");
    expect(section(out, "Refers to")).toEqual([
      "workloaddefinition/web (spec.definition)",
      "cluster/prod (spec.placement.clusters)",
      "cluster/gone (spec.placement.clusters) missing",
    ]);
  });

  test.each([
    ["cluster/prod", ["workloadinstance/web-prod (spec.placement.clusters)"]],
    ["wd/web", ["workloadinstance/web-prod (spec.definition)"]],
    ["credential/git", ["workloaddefinition/web (spec.source.git.credential)"]],
  ])("shows what refers to %s", async (name, referrers) => {
    const { out } = await server.bowline(["describe", name, "--no-events"]);
    expect(section(out, "Referred to by")).toEqual(referrers);
  });

  test("shows conditions as a table", async () => {
    await server.bowline(["wait", "cluster/prod", "--for", "condition=Ready=False"]);
    const { out } = await server.bowline(["describe", "cluster", "prod", "--no-events"], { isTty: true });
    expect(section(out, "Conditions")[0]).toMatch(/^TYPE +STATUS +AGE +REASON +MESSAGE$/);
    const ready = section(out, "Conditions").find((line) => line.startsWith("Ready"));
    expect(ready?.replaceAll("\u001B", "ESC")).toMatch(
      /^Ready +ESC\[31mFalseESC\[39m +\d+s +NeverConnected +No agent/,
    );
  });

  test("fails for what is missing, after it has shown the rest", async () => {
    const ran = await server.bowline(["describe", "cluster", "nope", "prod", "--no-events"]);
    expect(ran).toMatchObject({ code: 1, error: 'error: There is no Cluster "nope".\n' });
    expect(ran.out).toMatch(/^Name: +prod$/m);
  });

  test("never shows a secret", async () => {
    const { out } = await server.bowline(["describe", "credentials", "--no-events"]);
    expect(out).toMatch(/^Name: +git$/m);
    expect(out).not.toContain("a-secret");
  });
});

const events: EventRecord[] = ["second", "first"].map((message, index) => ({
  id: "01930a5e-7c00-7000-8000-000000000001",
  type: index === 0 ? "Warning" : "Normal",
  reason: "Tried",
  message: `${message}\u001B[2J`,
  regarding: { kind: "User", name: "deputy" },
  source: "test",
  count: 3 - index,
  firstSeenAt: "2026-01-01T00:00:00Z",
  lastSeenAt: `2026-01-01T00:0${2 - index}:00Z`,
}));

test("events come last, the newest at the end; what one may not list is named", async () => {
  const context = fakeContext({
    clock: new ManualClock(Date.UTC(2026, 0, 1, 0, 5)),
    client: {
      get: async (kind, name) => sampleObject(kind, name),
      listEvents: async () => ({ items: events, metadata: { total: 2 } }),
      listAll: () => {
        throw new BowlineError("Forbidden", "No.");
      },
    },
  });
  await describeAll(context, ["user/deputy"], { events: true });
  const { written } = context.terminal;
  expect(section(written, "Referred to by")).toEqual([
    "(you may not list accessgrants)",
    "(you may not list tokens)",
    "(you may not list sessions)",
  ]);
  expect(section(written, "Events")).toEqual([
    "LAST-SEEN   COUNT   TYPE      REASON   MESSAGE",
    String.raw`4m          2       Normal    Tried    first\u001b[2J`,
    String.raw`3m          3       Warning   Tried    second\u001b[2J`,
  ]);
});

test("an instance comes with its resources, and with what happened to them", async () => {
  const happened = (id: string, name: string, lastSeenAt: string): EventRecord => ({
    id,
    type: "Warning",
    reason: "BackOff",
    message: `of ${name}`,
    regarding: { kind: name === "web" ? "WorkloadInstance" : "Pod", name },
    source: "kubernetes",
    count: 1,
    firstSeenAt: lastSeenAt,
    lastSeenAt,
  });
  const own = [happened("1", "web", "2026-01-01T00:00:02.000Z")];
  const below = [
    happened("2", "web-2-a", "2026-01-01T00:00:03.000Z"),
    happened("3", "web-2-b", "2026-01-01T00:00:01.000Z"),
  ];
  const context = fakeContext({
    clock: new ManualClock(Date.parse("2026-01-01T00:00:05Z")),
    client: {
      get: async (kind, name) => {
        if (kind.kind !== "WorkloadInstance") throw new BowlineError("NotFound", "It is not here.");
        return sampleObject(kind, name);
      },
      async *listAll() {
        yield { items: [], metadata: { resourceVersion: "1", total: 0 } };
      },
      tree: async () => webTree,
      listEvents: async (query) => {
        const items = query?.instance === "web" ? [...below, ...own] : own;
        return { items, metadata: { total: items.length } };
      },
    },
  });
  await describeAll(context, ["wi/web"], { events: true });
  const { written } = context.terminal;
  expect(section(written, "Resources")).toContain(
    "│  ├─ Deployment shop/web        Degraded      ImagePullBackOff   web:9 cannot be pulled.",
  );
  expect(section(written, "Events")).toEqual([
    "LAST-SEEN   COUNT   TYPE      REASON    OBJECT                 MESSAGE",
    "4s          1       Warning   BackOff   pod/web-2-b            of web-2-b",
    "3s          1       Warning   BackOff   workloadinstance/web   of web",
    "2s          1       Warning   BackOff   pod/web-2-a            of web-2-a",
  ]);
});

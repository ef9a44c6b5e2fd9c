import { createHmac } from "node:crypto";

import { ConfigSource } from "@bowline/api";
import { createLogger } from "@bowline/core";
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import { TestAccess } from "../api/testing/test-access.ts";
import { configMap, SourceHarness } from "../sources/testing/source-harness.ts";
import { hookRoutes } from "./hook-routes.ts";
import { sourceRoutes } from "./source-routes.ts";

const secret = "of-the-hook";
const good = "Ready True Resolved, UpToDate True Resolved";

let harness: SourceHarness;
let app: FastifyInstance;
let id: string;

beforeEach(async () => {
  harness = await SourceHarness.open();
  await harness.credential({ type: "token", data: { token: secret } }, "hook");
  await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define({ webhook: { credential: "hook" }, interval: "1h" });
  await harness.start();
  await harness.until(good);
  id = (await harness.definition()).status.source?.webhook ?? "";
  const { store, clock } = harness;
  const { objects } = store;
  const logger = createLogger({ name: "test", level: "silent" });
  const plugins = [hookRoutes({ objects, clock }), sourceRoutes({ objects, clock })];
  app = await createHttpApi({ store, access: new TestAccess(), logger, plugins });
  onTestFinished(() => app.close());
});

interface Delivery {
  readonly to?: string;
  readonly body?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const pushOf = (ref = "refs/heads/main", url = harness.server.url()): string =>
  JSON.stringify({ ref, repository: { clone_url: url } });

async function deliver({ to = id, body = pushOf(), key = secret, headers = {} }: Delivery = {}) {
  const signature = createHmac("sha256", key).update(body).digest("hex");
  const { statusCode, payload } = await app.inject({
    method: "POST",
    url: `/hooks/git/${to}`,
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${signature}`,
      ...headers,
    },
    payload: body,
  });
  return { status: statusCode, body: JSON.parse(payload) };
}

describe("a push that is told", () => {
  test("is looked at at once, long before the interval", async () => {
    const second = await harness.repository.commit({ files: { "b.yaml": configMap("b") } });
    expect(await deliver()).toEqual({
      status: 202,
      body: { woken: [{ kind: "WorkloadDefinition", name: "web" }] },
    });
    await harness.untilCommit(second);
    expect(await harness.objects()).toEqual(["a", "b"]);
  });

  test("keeps the address of the hook, and the next one comes through as well", async () => {
    for (const name of ["b", "c"]) {
      const commit = await harness.repository.commit({ files: { [`${name}.yaml`]: configMap(name) } });
      await harness.clock.advance(1_000);
      expect((await deliver()).status).toBe(202);
      await harness.untilCommit(commit);
    }
    expect((await harness.definition()).status.source?.webhook).toBe(id);
  });

  test("wakes only those who follow what was pushed", async () => {
    const deliveries: readonly (readonly [string, Delivery, number])[] = [
      ["another branch", { body: pushOf("refs/heads/other") }, 0],
      // Both are what the short name may mean, so that is looked at.
      ["a tag that is named like the branch", { body: pushOf("refs/tags/main") }, 1],
      ["another repository", { body: pushOf("refs/heads/main", "https://git.example.com/x.git") }, 0],
      ["a ping", { headers: { "x-github-event": "ping" } }, 0],
      ["an issue", { headers: { "x-github-event": "issues" } }, 0],
    ];
    for (const [name, delivery, woken] of deliveries) {
      const { status, body } = await deliver(delivery);
      expect([name, status, body.woken.length]).toEqual([name, 202, woken]);
    }
  });

  test("is refused without writing anything, where it cannot be believed or read", async () => {
    const deliveries: readonly (readonly [string, Delivery, number])[] = [
      ["another secret", { key: "guessed" }, 401],
      ["no signature", { headers: { "x-hub-signature-256": "" } }, 401],
      ["an address that nobody has", { to: "0".repeat(32) }, 404],
      ["an address that is none", { to: "web" }, 404],
      ["no JSON", { body: "{" }, 400],
      ["a megabyte and more", { body: " ".repeat(2 ** 20 + 1) }, 413],
      ["ten megabytes", { body: " ".repeat(10_000_000) }, 413],
    ];
    const head = await harness.store.changes.head();
    for (const [name, delivery, status] of deliveries) {
      expect([name, (await deliver(delivery)).status]).toEqual([name, status]);
    }
    expect(await harness.store.changes.head()).toBe(head);
  });

  test("may come a thousand times, and is not looked at as often", async () => {
    const before = harness.questions;
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => deliver()));
    const taken = answers.filter(({ status }) => status === 202).length;
    expect(taken).toBeLessThanOrEqual(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1_000 - taken);
    await harness.until(good);
    expect(harness.questions - before).toBeLessThanOrEqual(taken);
  });
});

describe("pushes that are told", () => {
  test("make the poll ten times rarer, until one was missed", async () => {
    await harness.define({ webhook: { credential: "hook" }, interval: "1m" });
    await harness.until(good);
    const second = await harness.repository.commit({ files: { "b.yaml": configMap("b") } });
    await deliver();
    await harness.untilCommit(second);
    await harness.untilPolled(1);
    const beganMs = harness.clock.monotonicMs();
    const third = await harness.repository.commit({ files: { "c.yaml": configMap("c") } });
    await harness.untilPolled(1);
    expect(harness.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(8 * 60_000);
    await harness.untilCommit(third);
    expect(await harness.events()).toContain("WebhookMissed");
    const againMs = harness.clock.monotonicMs();
    await harness.untilPolled(2);
    expect(harness.clock.monotonicMs() - againMs).toBeLessThan(5 * 60_000);
  });
});

test("a push wakes sources of configuration as well, which have hooks of their own", async () => {
  const { store, server } = harness;
  const webhook = { credential: "hook" };
  const git = { url: server.url(), ref: "main", path: ".", interval: "1h", credential: "git", webhook };
  const spec = { git, kinds: ["Cluster" as const], actsAs: "ada", prune: true, allowEmpty: false };
  await store.objects.create(ConfigSource, {
    metadata: { name: "fleet", labels: {}, annotations: {} },
    spec: { ...spec, pruneLimit: { count: 10, percent: 25 } },
  });
  const own = "f".repeat(32);
  await store.objects.writeStatus(ConfigSource, "fleet", ({ status }) => ({
    ...status,
    source: { webhook: own },
  }));
  const woken = [
    { kind: "WorkloadDefinition", name: "web" },
    { kind: "ConfigSource", name: "fleet" },
  ];
  expect(await deliver({ to: own })).toEqual({ status: 202, body: { woken } });
  const told = await store.objects.get(ConfigSource, "fleet");
  expect(told?.status.source).toMatchObject({ webhook: own, pushedAt: expect.any(String) });
});

describe("resolve", () => {
  const resolve = (name: string, user: string) =>
    app.inject({
      method: "POST",
      url: `/api/v1/workloaddefinitions/${name}/resolve`,
      headers: { authorization: `Bearer ${user}` },
    });

  test("has a source looked at now, for those who may change it", async () => {
    const second = await harness.repository.commit({ files: { "b.yaml": configMap("b") } });
    expect((await resolve("web", "viewer")).statusCode).toBe(403);
    expect((await resolve("other", "editor")).statusCode).toBe(404);
    expect((await resolve("web", "editor")).statusCode).toBe(200);
    await harness.untilCommit(second);
    expect(await harness.objects()).toEqual(["a", "b"]);
  });
});

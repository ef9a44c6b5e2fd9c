import { validateStatus, WorkloadDefinition, type SpecOf } from "@bowline/api";
import { createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { readRevision } from "@bowline/manifests";
import type { Controller } from "@bowline/runtime";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { settled } from "../controllers/testing/settled.ts";
import { definitionController } from "./definition-controller.ts";

let clock: ManualClock;
let store: Store;
let controller: Controller;

beforeEach(async () => {
  clock = new ManualClock();
  store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock });
  controller = start(store);
});

/** Another life of the server, on the same store. */
function start(on: Store, leases?: { owner: string; ttlMs: number }): Controller {
  const logger = createLogger({ name: "test", level: "silent" });
  const started = definitionController({ resolve: () => Promise.reject(new Error("from git")) }).create({
    store: on,
    clock,
    random: () => 0,
    logger,
    ...(leases === undefined ? {} : { leases: { store: on.leases, ...leases } }),
  });
  const stop = new AbortController();
  const running = started.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });
  return started;
}

type Spec = SpecOf<typeof WorkloadDefinition>;

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

async function write(manifests: string, parameters: Spec["parameters"] = []): Promise<WorkloadDefinition> {
  return writeSource({ inline: { manifests } }, parameters);
}

async function writeSource(
  source: Spec["source"],
  parameters: Spec["parameters"] = [],
): Promise<WorkloadDefinition> {
  const metadata = { name: "web", labels: {}, annotations: {} };
  const { object } = await store.objects.write(WorkloadDefinition, "web", () => ({
    metadata,
    spec: { source, parameters },
  }));
  return object;
}

async function reconciled(by = controller): Promise<WorkloadDefinition> {
  by.enqueue("WorkloadDefinition/web");
  await settled(by, clock);
  const found = await store.objects.get(WorkloadDefinition, "web");
  if (found === undefined) throw new Error("The definition is gone.");
  expect(validateStatus(WorkloadDefinition, { status: found.status })).toMatchObject({ ok: true });
  return found;
}

const readyOf = ({ status }: WorkloadDefinition): string[] =>
  status.conditions.map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`);

describe("The controller of definitions", () => {
  test("keeps what the manifests say as a revision, and says which", async () => {
    const { metadata } = await write(`${configMap("a")}---\n${configMap("b")}`);
    const found = await reconciled();
    expect(readyOf(found)).toEqual(["Ready True Resolved"]);
    expect(found.status).toMatchObject({ observedGeneration: 1, resources: 2 });
    const [revision] = (await store.revisions.list(metadata.id)).items;
    expect(found.status.revision).toEqual({
      id: revision?.id,
      resolvedAt: new Date(revision?.resolvedAtMs ?? 0).toISOString(),
    });
    const id = revision?.id ?? "";
    const { objects } = readRevision({ id, content: (await store.revisions.content(id)) ?? "" });
    expect(objects.map((object) => Reflect.get(object.metadata, "name"))).toEqual(["a", "b"]);
  });

  test("writes nothing when it is asked again, and no revision for what means the same", async () => {
    const { metadata } = await write(configMap("a"));
    const first = await reconciled();
    const head = await store.changes.head();
    await clock.advance(60_000);
    expect(await reconciled()).toEqual(first);
    expect(await store.changes.head()).toBe(head);
    await write(`# with a comment\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n`);
    const second = await reconciled();
    expect(second.status).toMatchObject({ observedGeneration: 2, revision: first.status.revision });
    expect((await store.revisions.list(metadata.id)).items).toHaveLength(1);
  });

  test("makes a new revision of new content, also of what was there before", async () => {
    const { metadata } = await write(configMap("a"));
    const ids = [(await reconciled()).status.revision?.id];
    for (const name of ["b", "a"]) {
      await clock.advance(1_000);
      await write(configMap(name));
      ids.push((await reconciled()).status.revision?.id);
    }
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
    const revisions = (await store.revisions.list(metadata.id)).items;
    expect(revisions.map(({ id, state }) => [id, state])).toEqual([
      [ids[0], "resolved"],
      [ids[1], "superseded"],
    ]);
  });

  test("finishes what a server that died between revision and status began, once", async () => {
    const { metadata } = await write(configMap("a"));
    const dying = new Proxy(store, {
      get: (target, name) =>
        name === "objects" ? { get: store.objects.get.bind(store.objects) } : Reflect.get(target, name),
    });
    const first = start(dying);
    first.enqueue("WorkloadDefinition/web");
    await settled(first, clock);
    const [before] = (await store.revisions.list(metadata.id)).items;
    expect(before).toBeDefined();
    expect((await store.objects.get(WorkloadDefinition, "web"))?.status.revision).toBeUndefined();
    await clock.advance(5_000);
    const found = await reconciled();
    expect((await store.revisions.list(metadata.id)).items).toEqual([before]);
    expect(found.status.revision?.resolvedAt).toBe(new Date(before?.resolvedAtMs ?? 0).toISOString());
  });

  test("says of manifests that cannot be read any more what is wrong with them, all of it", async () => {
    await write(configMap("a"));
    const { status } = await reconciled();
    await write(`kind: ConfigMap\n---\n${configMap("b")}data: {a: "\${{ nobody }}"}\n`);
    const found = await reconciled();
    expect(readyOf(found)).toEqual(["Ready False InvalidManifests"]);
    const [ready] = found.status.conditions;
    expect(ready?.message).toContain("document 1");
    expect(ready?.message).toContain("nobody");
    expect(found.status).toMatchObject({ observedGeneration: 2, revision: status.revision });
    expect((await store.events.list()).items).toMatchObject([
      { type: "Warning", reason: "InvalidManifests" },
    ]);
    expect(controller.state().failing).toBe(0);
    await write(configMap("c"));
    expect(readyOf(await reconciled())).toEqual(["Ready True Resolved"]);
  });

  test("does not say more than a condition may", async () => {
    await write(Array.from({ length: 200 }, () => "kind: ConfigMap\n").join("---\n"));
    const [ready] = (await reconciled()).status.conditions;
    expect(ready?.message.length).toBeLessThanOrEqual(4_096);
  });

  test("writes under its lease, and not after that was granted to another", async () => {
    const { metadata } = await write(configMap("a"));
    const put = store.revisions.put.bind(store.revisions);
    const held = start(
      new Proxy(store, {
        get: (target, name) =>
          name === "revisions"
            ? {
                put: async (...args: Parameters<typeof put>) => {
                  await store.leases.release("WorkloadDefinition/web", args[1]?.fence?.token ?? 0);
                  await store.leases.tryAcquire("WorkloadDefinition/web", "two", 60_000);
                  return put(...args);
                },
              }
            : Reflect.get(target, name),
      }),
      { owner: "one", ttlMs: 60_000 },
    );
    held.enqueue("WorkloadDefinition/web");
    await settled(held, clock);
    expect((await store.revisions.list(metadata.id)).items).toEqual([]);
  });

  test("lets go of a definition that is deleted", async () => {
    await write(configMap("a"));
    await reconciled();
    await store.objects.delete(WorkloadDefinition, "web");
    controller.enqueue("WorkloadDefinition/web");
    await settled(controller, clock);
    expect(await store.objects.get(WorkloadDefinition, "web")).toBeUndefined();
  });
});

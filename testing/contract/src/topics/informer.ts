import type { BowlineError } from "@bowline/core";
import {
  createInformer,
  resources,
  wholeObject,
  type Informer,
  type InformerOptions,
  type KubeObject,
} from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, type ConfigMap } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps, secrets } = resources;

export function informerContract(cluster: () => RunningTarget): void {
  it("reads what exists, then follows every change", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await client.create(configMaps, labelled(namespace, "before"));
    await using followed = follow(space);
    await followed.informer.synced();
    expect(followed.log).toEqual(["add before", "synced"]);
    const a = await client.create(configMaps, labelled(namespace, "a"));
    await followed.sees("add a");
    const changed = await client.update(configMaps, { ...a, data: { key: "value" } });
    await followed.sees("update a");
    const cached = followed.informer.get(namespace, "a");
    expect(cached).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "value" } });
    expect(cached?.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
    await client.delete(configMaps, { namespace, name: "a" });
    await followed.sees("delete a");
    expect(followed.informer.get(namespace, "a")).toBeUndefined();
    expect(followed.log).toEqual(["add before", "synced", "add a", "update a", "delete a"]);
    expect(followed.informer.state()).toMatchObject({
      phase: "watching",
      synced: true,
      objects: 1,
      error: undefined,
    });
  });

  it("reads page after page", async () => {
    const space = await sandbox(cluster());
    const wanted = Array.from({ length: 12 }, (_, index) => `item-${String(index).padStart(2, "0")}`);
    for (const name of wanted) await space.client.create(configMaps, labelled(space.namespace, name));
    await using followed = follow(space, { pageSize: 5, watchList: "never" });
    await followed.informer.synced();
    expect(followed.names()).toEqual(wanted);
    await space.client.delete(configMaps, { namespace: space.namespace, name: "item-07" });
    await followed.sees("delete item-07");
  });

  it("sees objects enter and leave its selector", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await client.create(configMaps, configMap({ namespace, name: "a" }));
    await using followed = follow(space);
    await followed.informer.synced();
    expect(followed.names()).toEqual([]);
    const target = { namespace, name: "a", type: "merge" } as const;
    await client.patch(configMaps, { metadata: { labels: { contract: "yes" } } }, target);
    await followed.sees("add a");
    await client.patch(configMaps, { metadata: { labels: { contract: null } } }, target);
    await followed.sees("delete a");
  });

  it("finds by index, and moves objects between keys", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await client.create(configMaps, labelled(namespace, "a", { team: "red" }));
    await client.create(configMaps, labelled(namespace, "b", { team: "blue" }));
    const team = ({
      metadata,
    }: {
      readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
    }): string[] => [metadata.labels?.["team"] ?? ""];
    await using followed = follow(space, { indexers: { team } });
    await followed.informer.synced();
    const inTeam = (key: string): unknown[] =>
      followed.informer.byIndex("team", key).map(({ metadata }) => metadata.name);
    expect(inTeam("red")).toEqual(["a"]);
    await client.patch(
      configMaps,
      { metadata: { labels: { team: "red" } } },
      { namespace, name: "b", type: "merge" },
    );
    await followed.sees("update b");
    expect(inTeam("red")).toEqual(["a", "b"]);
    expect(inTeam("blue")).toEqual([]);
  });

  it("asks for metadata alone, so that no Secret's value is ever sent", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    const secret = (name: string): KubeObject => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name, labels: { contract: "yes" } },
      stringData: { password: "hush" },
    });
    await client.create(secrets, secret("a"));
    await using followed = follow(space, { resource: secrets, metadataOnly: true });
    await followed.informer.synced();
    await client.create(secrets, secret("b"));
    await followed.sees("add b");
    for (const cached of followed.informer.list()) {
      expect(cached).not.toHaveProperty("data");
      expect(cached).toMatchObject({ kind: "Secret", metadata: { labels: { contract: "yes" } } });
    }
    expect(followed.names()).toEqual(["a", "b"]);
  });

  it("follows custom resources", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    const widgets = await installWidgets(client);
    const metadata = { namespace, labels: { contract: "yes" } };
    await client.create(widgets.ref, widget(widgets, { ...metadata, name: "a" }));
    await using followed = follow(space, { resource: widgets.ref });
    await followed.informer.synced();
    await client.patch(
      widgets.ref,
      { status: { phase: "Ready" } },
      { namespace, name: "a", type: "merge", subresource: "status" },
    );
    await followed.sees("update a");
    expect(followed.informer.get(namespace, "a")).toMatchObject({
      kind: "Widget",
      status: { phase: "Ready" },
    });
  });

  describe("trouble", () => {
    it("is told by its state, and waited out", async () => {
      const space = await sandbox(cluster());
      const transport = cluster().clientWithToken("not-a-token").transport;
      await using followed = follow(space, { transport });
      await expect
        .poll(() => followed.informer.state())
        .toMatchObject({
          phase: "waiting",
          synced: false,
          error: expect.toSatisfy((error: BowlineError) => error.code === "Unauthorized"),
        });
    });
  });
}

type Cached = ReturnType<typeof wholeObject>;

interface Followed extends AsyncDisposable {
  readonly informer: Informer<Cached>;
  /** What its handler was told, in order. */
  readonly log: readonly string[];
  names(): string[];
  sees(entry: string): Promise<void>;
}

function labelled(namespace: string, name: string, labels: Record<string, string> = {}): ConfigMap {
  return configMap({ namespace, name, labels: { contract: "yes", ...labels } });
}

function follow({ client, namespace }: Sandbox, options: Partial<InformerOptions<Cached>> = {}): Followed {
  const informer = createInformer<Cached>({
    transport: client.transport,
    resource: configMaps,
    namespace,
    labelSelector: "contract",
    project: wholeObject,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  const log: string[] = [];
  let wake = Promise.withResolvers<void>();
  const note = (what: string, value?: Cached): void => {
    log.push(value === undefined ? what : `${what} ${value.metadata.name}`);
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  informer.addHandler({
    add: (value) => note("add", value),
    update: (_old, value) => note("update", value),
    delete: (value) => note("delete", value),
    synced: () => note("synced"),
  });
  informer.start();
  return {
    informer,
    log,
    names: () =>
      informer
        .list()
        .map(({ metadata }) => metadata.name ?? "")
        .toSorted(),
    sees: async (entry) => {
      while (!log.includes(entry)) await wake.promise;
    },
    [Symbol.asyncDispose]: () => informer.stop(),
  };
}

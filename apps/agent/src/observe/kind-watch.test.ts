import { systemClock } from "@bowline/core";
import { Discovery, ValueInterner } from "@bowline/kube";
import { expect, onTestFinished, test } from "vitest";

import { ObservedCluster } from "../testing/observed-cluster.ts";
import { service } from "../testing/sample-objects.ts";
import { KindWatch } from "./kind-watch.ts";
import type { KubeMessage } from "./kube-message.ts";

/** Services of a cluster, which are watched in all namespaces. */
async function start(namespaces: () => readonly string[] | undefined) {
  const cluster = await ObservedCluster.start();
  const { client } = cluster;
  const { uid } = cluster.create("services", service, { name: "web" }).metadata;
  const messages: KubeMessage[] = [];
  const watch = new KindWatch({
    kind: { group: "", kind: "Service" },
    fields: { metadata: true },
    client,
    discovery: new Discovery(client, { clock: systemClock }),
    interner: new ValueInterner(),
    deliver: (message) => void messages.push(message),
    namespaces,
    onError: () => {},
    clock: systemClock,
    random: Math.random,
  });
  onTestFinished(() => watch.stop());
  await expect.poll(() => watch.isSynced).toBe(true);
  const { api, faults } = cluster.sim;
  /** From now on they may be read in single namespaces. */
  const lose = async (): Promise<void> => {
    faults.failRequests({ path: /^\/api\/v1\/services/u, code: 403 });
    faults.dropWatches({ resource: "services" });
    await expect.poll(() => watch.error?.code).toBe("Forbidden");
  };
  return { api, watch, uid, messages, lose };
}

const scopeOf = (watch: KindWatch, namespace: string) =>
  [...watch.scopes()].find((scope) => scope.namespace === namespace);

test("what went while nothing could be read is not there once its namespace is", async () => {
  const { api, watch, uid, lose } = await start(() => ["default"]);
  await lose();
  expect(watch.uids("default")).toContain(uid);
  api.delete("services", "default", "web");
  watch.attend();
  await expect.poll(() => scopeOf(watch, "default")?.isSynced).toBe(true);
  expect(watch.uids("default")).not.toContain(uid);
});

test("nothing is closed while nobody knows which namespaces there are", async () => {
  let namespaces: readonly string[] | undefined = ["default"];
  const { watch, messages, lose } = await start(() => namespaces);
  await lose();
  watch.attend();
  await expect.poll(() => scopeOf(watch, "default")?.isSynced).toBe(true);
  messages.length = 0;
  namespaces = undefined;
  watch.attend();
  expect([scopeOf(watch, "default")?.isSynced, messages]).toEqual([true, []]);
  namespaces = [];
  watch.attend();
  expect(messages.map(({ action }) => action)).toEqual(["restarted"]);
});

import type { BowlineError } from "@bowline/core";
import { createInformer, resources, wholeObject } from "@bowline/kube";
import { expect, it } from "vitest";

import { configMap } from "../objects.ts";
import { RawWatch } from "../raw-watch.ts";
import { sandbox } from "../sandbox.ts";
import { minorVersion } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps } = resources;

/** From 1.34 on servers offer WatchLists by default, and cannot keep the promise on an etcd that is older than 3.5. */
export function oldEtcdContract(cluster: () => RunningTarget): void {
  it("ends a WatchList at once", async ({ skip }) => {
    const { client, namespace } = await sandbox(cluster());
    skip((await minorVersion(client)) < 34, "offered from 1.34 on");
    const query = {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    };
    using watch = await RawWatch.open(client, configMaps, { namespace, query });
    expect(await watch.rest()).toMatchObject([
      {
        type: "ERROR",
        object: { code: 500, message: expect.stringContaining("RequestWatchProgress is disabled") },
      },
    ]);
  });

  it("makes an informer list instead after three, and say so", async ({ skip }) => {
    const { client, namespace } = await sandbox(cluster());
    skip((await minorVersion(client)) < 34, "offered from 1.34 on");
    await client.create(configMaps, configMap({ namespace, name: "before" }));
    const told: BowlineError[] = [];
    const informer = createInformer({
      transport: client.transport,
      resource: configMaps,
      namespace,
      project: wholeObject,
      onError: (error) => told.push(error),
    });
    await using _ = { [Symbol.asyncDispose]: () => informer.stop() };
    informer.start();
    await informer.synced();
    expect(informer.get(namespace, "before")).toBeDefined();
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringMatching(/ended 3 WatchLists of .*RequestWatchProgress is disabled.*they are listed/s),
    ]);
    await client.create(configMaps, configMap({ namespace, name: "after" }));
    await expect.poll(() => informer.get(namespace, "after")).toBeDefined();
  });
}

import { AccessGrant, createValidator, ReportChange } from "@bowline/api";
import { systemClock } from "@bowline/core";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { expect, onTestFinished, test } from "vitest";

import { readingPod, ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { startRecordApi } from "../testing/record-api.ts";
import { reportRoutes } from "./report-routes.ts";
import { ReportWatch } from "./report-watch.ts";

const validate = createValidator(ReportChange);

async function grant({ objects }: Store, name: string, user: string, clusters: string[]): Promise<void> {
  await objects.write(AccessGrant, name, () => ({
    apiVersion: "v1",
    kind: "AccessGrant",
    metadata: { name, labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
    spec: { subjects: [{ user }], clusters: { names: clusters }, kubernetes: { groups: [] } },
  }));
}

/** Two clusters: the operator may see both, the editor one, and the viewer none. */
async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const [east, west] = [await ToldCluster.create(store, "east"), await ToldCluster.create(store, "west")];
  await grant(store, "all", "operator", ["east", "west"]);
  await grant(store, "one", "editor", ["east"]);
  const grants = new GrantCache({ store, clock: systemClock, random: Math.random });
  onTestFinished(() => grants.close());
  await grants.start();
  const api = await startRecordApi(store, ({ access, pool }) => [
    reportRoutes({ watch: new ReportWatch(store.reportChanges, pool), grants, access }),
  ]);
  const watch = async (query: string, user: string) => {
    const source = await api.watch<ReportChange>(`/api/v1/reports?watch=true${query}`, {}, user);
    // The bookmark of the beginning: what happens from here on is told.
    await source.take(1);
    return source;
  };
  return { store, east, west, ...api, watch };
}

test("whoever watches is told that a graph has changed, of the clusters they may see", async () => {
  const { store, east, west, watch } = await setup();
  const all = await watch("", "operator");
  const own = await watch("&topic=graph&cluster=west,%20east", "editor");
  const other = await watch("&cluster=west", "editor");
  await west.tell([readingPod("b", "key")]);
  await east.tell([readingPod("a", "key")]);
  const seen = new Set<string>();
  while (seen.size < 2) {
    for (const { data } of await all.take(1)) {
      if (data.type !== "MODIFIED") continue;
      expect(validate(data.object).ok).toBe(true);
      seen.add(`${data.object.cluster} ${data.object.topic}`);
    }
  }
  expect([...seen].toSorted()).toEqual(["east graph", "west graph"]);
  const [first] = await own.take(1);
  expect(first?.data).toMatchObject({ type: "MODIFIED", object: { cluster: "east", topic: "graph" } });
  // A cluster that is somebody else's is as silent as one that there is not.
  await grant(store, "more", "editor", ["west"]);
  const types = (await other.until("ERROR")).map(({ data }) => data.type);
  expect(types.filter((type) => type !== "BOOKMARK")).toEqual(["ERROR"]);
});

test("it can only be watched, by who has a grant, and ends when the grants are others", async () => {
  const { store, get, watch } = await setup();
  expect(await get("/api/v1/reports")).toMatchObject({ status: 400 });
  expect(await get("/api/v1/reports?watch=1&topic=pods")).toMatchObject({ status: 400 });
  const source = await watch("", "editor");
  await grant(store, "more", "editor", ["west"]);
  const isOver = async (): Promise<boolean> => {
    for (const { data } of await source.take(1)) {
      if (data.type === "ERROR") return data.error.code === "Expired";
    }
    return isOver();
  };
  expect(await isOver()).toBe(true);
});

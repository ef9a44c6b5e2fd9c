import { Gateway } from "@bowline/api";
import type { Change } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { gatewayWatches } from "./gateway-watches.ts";

test("who is in trouble first is nothing to the others of an entry; who comes to it is", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const spec = { instance: "web", hosts: ["a.example.com"], rules: [], tls: { mode: "terminate" as const } };
  const whole = { ...spec, visibility: "public" as const, probe: true };
  const clusters = ["a", "b"].map((cluster) => ({
    cluster,
    ready: "True" as const,
    reason: "Reachable",
    message: "",
    class: "reference",
    addresses: [],
    checks: [],
  }));
  for (const name of ["shop", "other"]) {
    await store.objects.create(Gateway, { metadata: { name, labels: {}, annotations: {} }, spec: whole });
    await store.objects.writeStatus(Gateway, name, ({ status }) => ({ ...status, clusters }));
  }
  const object = await store.objects.get(Gateway, "shop");
  if (object === undefined) throw new Error("It is gone.");
  const watch = gatewayWatches.find(({ kind }) => kind.kind === "Gateway");
  const namesFor = async (now: typeof clusters): Promise<readonly string[] | undefined> => {
    const changed = { ...object, status: { ...object.status, clusters: now } };
    const change = { type: "MODIFIED", kind: "Gateway", name: "shop", object: changed, previous: object };
    return watch?.namesOf(change as unknown as Change, { store, batch: [] });
  };
  expect(await namesFor(clusters.toReversed())).toEqual([]);
  expect(await namesFor(clusters.map((each) => ({ ...each, class: "another" })))).toEqual(["other"]);
});

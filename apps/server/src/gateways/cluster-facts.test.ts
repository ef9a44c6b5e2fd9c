import { BowlineError } from "@bowline/core";
import type { DiscoveredApis, Discovery, KubeClient } from "@bowline/kube";
import { expect, test } from "vitest";

import { readFacts } from "./cluster-facts.ts";

/** A cluster of which a group of APIs could not be read. */
function factsWithout(group: string): ReturnType<typeof readFacts> {
  const error = new BowlineError("Timeout", `The API server did not answer /apis/${group}/v1.`);
  const apis: DiscoveredApis = { groups: [], resources: [], failures: [{ group, version: "v1", error }] };
  const discovery = {
    findKind: () => Promise.resolve(undefined),
    apis: () => Promise.resolve(apis),
    invalidate: () => undefined,
  } as unknown as Discovery;
  const question = { cluster: "a", wantedClass: undefined, usedClass: undefined, expectsCertManager: true };
  const { signal } = new AbortController();
  return readFacts({ ...question, discovery, client: {} as unknown as KubeClient, signal });
}

test.each(["gateway.networking.k8s.io", "cert-manager.io"])(
  "an API (%s) that could not be read is not taken for one that is not there",
  async (group) => {
    await expect(factsWithout(group)).rejects.toMatchObject({ code: "Timeout" });
  },
);

test("an API of somebody else that cannot be read is nothing to Gateways", async () => {
  await expect(factsWithout("metrics.k8s.io")).resolves.toMatchObject({ isAbsent: true });
});

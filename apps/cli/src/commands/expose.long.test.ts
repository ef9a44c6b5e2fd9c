/** The walk that real clusters go too, in one that is simulated. */
import { startKubesim } from "@bowline/kubesim";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { walkToGateway, wholeWalk } from "../real-cluster/testing/gateway-walk.ts";

// The ports that browsers use are root's.
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot || whyNoGatewayApi() !== undefined)("bowline expose", { timeout: 400_000 }, () => {
  test("leads a host to a workload, with everything that it takes, in a cluster that had none of it", async () => {
    const cluster = await startKubesim({ nodes: 1 });
    onTestFinished(() => cluster.stop());
    expect(await walkToGateway(cluster)).toEqual(wholeWalk);
  });
});

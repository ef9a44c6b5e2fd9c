/** A host name that leads to a workload, with everything that it takes brought by Bowline, in a real control plane. */
import { startControlPlane, whyNoControlPlane } from "@bowline/test-cluster";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { walkToGateway, wholeWalk } from "./testing/gateway-walk.ts";

const obstacle = (await whyNoControlPlane(process.env)) ?? whyNoGatewayApi();

// Most of it is waiting for looks at the cluster, which come every few seconds.
describe.skipIf(obstacle !== undefined)("a real control plane", { timeout: 400_000 }, () => {
  test("gets a host that answers from outside over TLS, and is empty again when it has gone", async () => {
    const cluster = await startControlPlane();
    onTestFinished(() => cluster.stop());
    expect(await walkToGateway(cluster)).toEqual(wholeWalk);
  });
});

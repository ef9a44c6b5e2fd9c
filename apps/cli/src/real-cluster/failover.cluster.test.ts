/** A host in two clusters of which one is lost: a real control plane, and one beside it that is simulated. */
import { startKubesim } from "@bowline/kubesim";
import { startControlPlane, whyNoControlPlane } from "@bowline/test-cluster";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { walkThroughLoss, wholeFailover } from "./testing/failover-walk.ts";

const obstacle = (await whyNoControlPlane(process.env)) ?? whyNoGatewayApi();

describe.skipIf(obstacle !== undefined)("a real control plane", { timeout: 1_500_000 }, () => {
  test("loses its host to another cluster when it is lost, and gets it back when it answers again", async ({
    annotate,
  }) => {
    const [west, east] = await Promise.all([startControlPlane(), startKubesim({ nodes: 1 })]);
    for (const cluster of [west, east]) onTestFinished(() => cluster.stop());
    const walked = await walkThroughLoss({ west, east });
    await annotate(`seconds until the record had changed: ${JSON.stringify(walked.seconds)}`);
    expect(walked).toEqual(wholeFailover);
  });
});

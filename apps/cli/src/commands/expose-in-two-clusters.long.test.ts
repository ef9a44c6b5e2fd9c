/** The walk that a real cluster goes too, in two that are simulated. */
import { startKubesim } from "@bowline/kubesim";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { walkThroughLoss, wholeFailover } from "../real-cluster/testing/failover-walk.ts";

// The ports that browsers use are root's.
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot || whyNoGatewayApi() !== undefined)("A DomainName", { timeout: 1_500_000 }, () => {
  test("leads a host to the other cluster when its own is lost, back when that answers again, and leaves nothing", async ({
    annotate,
  }) => {
    const [west, east] = await Promise.all([startKubesim({ nodes: 1 }), startKubesim({ nodes: 1 })]);
    for (const cluster of [west, east]) onTestFinished(() => cluster.stop());
    const walked = await walkThroughLoss({ west, east });
    await annotate(`seconds until the record had changed: ${JSON.stringify(walked.seconds)}`);
    expect(walked).toEqual(wholeFailover);
  });
});

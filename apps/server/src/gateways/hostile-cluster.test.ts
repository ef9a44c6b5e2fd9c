import { Readable } from "node:stream";

import { BowlineError } from "@bowline/core";
import { KubeClient, type KubeRequest } from "@bowline/kube";
import { TerminalError } from "@bowline/runtime";
import { ManualClock } from "@bowline/core/testing";
import { gatewayResources, whyNoGatewayApi } from "@bowline/test-gateway";
import { expect, test } from "vitest";

import { all } from "./cluster-facts.ts";
import { failureIn, withNews } from "./cluster-status.ts";
import { DyingServer } from "./testing/dying-server.ts";
import { GatewayHarness } from "./testing/gateway-harness.ts";

const { signal } = new AbortController();

/** A cluster that answers what it likes. */
function clusterThatSays(answer: (request: KubeRequest) => unknown): KubeClient {
  return new KubeClient({
    request: (request) =>
      Promise.resolve({
        status: 200,
        headers: { "content-type": "application/json" },
        body: Readable.from([Buffer.from(JSON.stringify(answer(request)))]),
      }),
    detectsDeadPeer: true,
    close: () => Promise.resolve(),
  });
}

test("a list that never ends is not read to its end", async () => {
  let pages = 0;
  const client = clusterThatSays(() => {
    pages += 1;
    const items = Array.from({ length: 500 }, (_, index) => ({ metadata: { name: `r-${index}` } }));
    return { kind: "HTTPRouteList", metadata: { continue: "more" }, items };
  });
  await expect(all(client, gatewayResources.httpRoutes, { signal })).rejects.toMatchObject({
    code: "ResponseTooLarge",
    message: expect.stringContaining("more than 20000 objects of the kind HTTPRoute"),
  });
  expect(pages).toBeLessThan(50);
});

test("what is no object of Kubernetes is left out of a list", async () => {
  const items = [5, {}, { metadata: 7 }, { metadata: { name: 5 } }, { metadata: { name: "a", labels: [] } }];
  const client = clusterThatSays(() => ({
    kind: "HTTPRouteList",
    metadata: {},
    items: [...items, { metadata: { name: "b", labels: { app: "shop" } } }],
  }));
  const found = await all(client, gatewayResources.httpRoutes, { signal });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["b"]);
});

test("what a cluster says of a failure is told as far as there is room for it", () => {
  const finding = failureIn("a", new BowlineError("Conflict", "x".repeat(2_000)), signal);
  expect(withNews(undefined, "a", finding).message).toHaveLength(1_024);
});

test("whatever fails in a cluster is told of it; what is the server's own is passed on", () => {
  expect(failureIn("a", new TypeError("status is not iterable"), signal)).toMatchObject({
    status: "Unknown",
    message: expect.stringMatching(/^It could not be looked at in cluster a: .*not iterable/),
  });
  expect(failureIn("a", new TerminalError("NameTaken", "It is taken."), signal)).toEqual({
    status: "False",
    reason: "NameTaken",
    message: "It is taken.",
  });
  for (const code of ["DatabaseUnavailable", "LeaseLost"] as const) {
    expect(() => failureIn("a", new BowlineError(code, "ours"), signal)).toThrow("ours");
  }
  expect(() => failureIn("a", new Error("any"), AbortSignal.abort(new Error("ended")))).toThrow("ended");
});

test.skipIf(whyNoGatewayApi() !== undefined)(
  "a cluster that does not come to an end with its answers is told of, and the others go on",
  async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const clock = new ManualClock();
    const server = new DyingServer(harness, {}, clock);
    harness.workloads.atAgents = (accept) => (stream, head, hasBody) => {
      if (!head.path.includes("/gatewayclasses")) return accept(stream, head, hasBody);
      return { data: () => true, end: () => {}, error: () => {} };
    };
    await harness.addCluster("a");
    harness.workloads.atAgents = (accept) => accept;
    await harness.addCluster("b");
    await harness.workloads.place(["a", "b"]);
    await harness.write("shop");
    const turn = server.turn();
    await clock.armed(60_000, 2);
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(60_000);
    await turn;
    expect(await harness.ready("shop", "a")).toBe(
      "Unknown Timeout: It could not be looked at in cluster a: it has not answered all questions within 60 s.",
    );
    expect(await harness.ready("shop", "b")).toMatch(/^False CertificatePending/);
  },
);

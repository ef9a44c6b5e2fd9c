import { generateKeyPairSync } from "node:crypto";

import { ManualClock } from "@bowline/core/testing";
import { encodeJoinToken } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import { openTestGateway } from "../testing/gateway-harness.ts";
import { TestAgent } from "../testing/test-agent.ts";

const otherUid = "11111111-2222-4333-8444-555555555555";

describe("an agent that joins", () => {
  test("gets an identity of the Cluster, and once more when the answer was lost", async () => {
    const harness = await openTestGateway();
    const { metadata } = await harness.createCluster("edge");
    const agent = new TestAgent(harness);
    const token = await harness.createJoinToken("edge");
    const accepted = await agent.join(token);
    expect(accepted).toMatchObject({ clusterId: metadata.id, clusterName: "edge" });
    expect(await agent.join(token)).toEqual(accepted);
    const [record] = await harness.audited();
    expect(record).toMatchObject({
      verb: "join",
      outcome: "allowed",
      kind: "Cluster",
      name: "edge",
      actor: { address: "127.0.0.1" },
      message: expect.stringContaining(`Agent ${accepted.agentId} joined with key 1`),
    });
  });

  test("is told of by events of its Cluster, and so is one that is refused, though not each time", async () => {
    const harness = await openTestGateway();
    const { metadata } = await harness.createCluster("edge");
    const token = await harness.createJoinToken("edge");
    await new TestAgent(harness).join(token);
    for (let n = 0; n < 8; n++)
      await expect(new TestAgent(harness).join(token)).rejects.toThrow("used before");
    const told = async (): Promise<unknown[]> => {
      const { items } = await harness.store.events.list({ kind: "Cluster", name: "edge" });
      return items.map(({ type, reason, count, regarding }) => [type, reason, count, regarding.id]);
    };
    await expect.poll(told).toEqual(
      expect.arrayContaining([
        ["Normal", "AgentJoined", 1, metadata.id],
        ["Warning", "JoinRefused", 5, metadata.id],
      ]),
    );
  });

  test.each<[string, (harness: Awaited<ReturnType<typeof openTestGateway>>) => Promise<unknown>, object]>([
    [
      "a token that somebody has used",
      async (harness) => {
        const token = await harness.createJoinToken("edge");
        await new TestAgent(harness).join(token);
        return new TestAgent(harness).join(token);
      },
      { code: "Forbidden", message: expect.stringContaining("was used before") },
    ],
    [
      "a token whose time is over",
      async (harness) => new TestAgent(harness).join(await harness.createJoinToken("edge", -1)),
      { code: "Unauthorized", message: expect.stringContaining("has run out") },
    ],
    [
      "a token that was made up",
      async (harness) =>
        new TestAgent(harness).join(encodeJoinToken({ secret: "guess", servers: [harness.url] })),
      { code: "Unauthorized", message: expect.stringContaining("does not know this join token") },
    ],
    [
      "half a token",
      async (harness) => new TestAgent(harness).join((await harness.createJoinToken("edge")).slice(0, -9)),
      { code: "InvalidArgument", message: expect.stringContaining("not complete") },
    ],
    [
      "the key of somebody else",
      async (harness) =>
        new TestAgent(harness).join(await harness.createJoinToken("edge"), {
          signWith: generateKeyPairSync("ed25519").privateKey,
        }),
      { code: "Unauthorized", message: expect.stringContaining("did not prove") },
    ],
    [
      "a second cluster under the same name",
      async (harness) => {
        await new TestAgent(harness).join(await harness.createJoinToken("edge"));
        const token = await harness.createJoinToken("edge");
        return new TestAgent(harness).join(token, { clusterUid: otherUid });
      },
      { code: "Forbidden", message: expect.stringContaining("another Kubernetes cluster") },
    ],
    [
      "something that is no UID",
      async (harness) =>
        new TestAgent(harness).join(await harness.createJoinToken("edge"), { clusterUid: "edge" }),
      { code: "InvalidArgument", message: expect.stringContaining("kube-system") },
    ],
  ])("is refused with %s, and the audit says why", async (_, attempt, refusal) => {
    const harness = await openTestGateway();
    await harness.createCluster("edge");
    const failure = await attempt(harness).catch((error: unknown) => error);
    expect(failure).toMatchObject(refusal);
    const { message } = failure as Error;
    const records = await harness.audited();
    expect(records).toContainEqual(
      expect.objectContaining({ verb: "join", outcome: expect.stringMatching("denied|failed"), message }),
    );
    expect(JSON.stringify(records)).not.toContain("bwj_");
  });

  test("ends the sessions of the key it replaces", async () => {
    const harness = await openTestGateway();
    const old = await harness.joinedAgent("edge");
    const session = await old.open();
    const replacing = new TestAgent(harness);
    await replacing.join(await harness.createJoinToken("edge"));
    expect(await session.ended).toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("revoked"),
    });
    await replacing.open();
    await expect(old.open()).rejects.toMatchObject({ code: "Forbidden" });
  });

  test("has ten seconds for each step", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const http2 = await new TestAgent(harness).connect();
    const call = http2.request({ ":method": "POST", ":path": "/bowline.agent.v1.JoinService/Join" });
    call.resume();
    const trailers = new Promise((resolve) => call.once("trailers", resolve));
    await new Promise((resolve) => call.once("response", resolve));
    await clock.advance(10_000);
    expect(await trailers).toMatchObject({ "bowline-code": "Timeout" });
  });
});

import { text } from "node:stream/consumers";

import type { AcceptStream, TunnelStream } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import { answerOf, openProxy } from "./testing/proxy-harness.ts";

const pods = "/api/v1/namespaces/shop/pods";

/** Refuses the first request that comes, and answers others with their bodies. */
function refusingOnce(refuse: (stream: TunnelStream) => void) {
  const state = { accepted: 0 };
  const accept: AcceptStream = (stream) => {
    state.accepted += 1;
    if (state.accepted === 1) {
      refuse(stream);
      return { data: () => true, end: () => {}, error: () => {} };
    }
    stream.sendHeaders({ status: 200, headers: [] });
    return { data: (chunk) => stream.write(chunk) || true, end: () => stream.end(), error: () => {} };
  };
  return { accept, state };
}

describe("a request that an agent has never begun", () => {
  test("is asked for once more elsewhere, with the same body", async () => {
    const { accept, state } = refusingOnce((stream) => stream.reset("refused", "Draining."));
    const { call } = await openProxy({ accept });
    const body = "x".repeat(60_000);
    const { status, text: sentBack } = await call(pods, { method: "POST", body });
    expect([status, state.accepted, sentBack === body]).toEqual([200, 2, true]);
  });

  test("is asked for no more than twice", async () => {
    let accepted = 0;
    const accept: AcceptStream = (stream) => {
      accepted += 1;
      stream.reset("refused", "Draining.");
      return { data: () => true, end: () => {}, error: () => {} };
    };
    const { call } = await openProxy({ accept });
    expect([(await call(pods)).status, accepted]).toEqual([503, 2]);
  });

  test("goes on with what the client sends later", async () => {
    const refused = Promise.withResolvers<void>();
    const { accept } = refusingOnce((stream) => {
      stream.reset("refused", "Draining.");
      refused.resolve();
    });
    const { begin, audited } = await openProxy({ accept });
    const outgoing = begin(pods, { method: "POST" });
    outgoing.write("first, ");
    await refused.promise;
    outgoing.end("then");
    expect(await text(await answerOf(outgoing))).toBe("first, then");
    expect(await audited()).toMatchObject([{ outcome: "allowed", proxy: { requestBytes: 11 } }]);
  });

  test("is a 503 when too much of its body was sent to be kept", async () => {
    let received = 0;
    const accept: AcceptStream = (stream) => ({
      data: (chunk) => {
        received += chunk.length;
        if (received > 64 * 1024) stream.reset("refused", "Draining.");
        return true;
      },
      end: () => {},
      error: () => {},
    });
    const { call } = await openProxy({ accept });
    const answer = await call(pods, { method: "POST", body: Buffer.alloc(100_000) });
    expect([answer.status, JSON.parse(answer.text).reason]).toEqual([503, "TunnelDraining"]);
  });

  test("is one whose answer has not begun; else the answer is broken", async () => {
    const begun = Promise.withResolvers<TunnelStream>();
    const { accept, state } = refusingOnce((stream) => {
      stream.sendHeaders({ status: 200, headers: ["Content-Length", "100"] });
      stream.write(Buffer.from("begun"));
      begun.resolve(stream);
    });
    const { begin } = await openProxy({ accept });
    const answer = await answerOf(begin(pods).end());
    (await begun.promise).reset("refused", "Draining.");
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(state.accepted).toBe(1);
  });
});

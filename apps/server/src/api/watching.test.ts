import { connect } from "node:net";

import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import type { WatchRequest, WatchService } from "../watch/object-watch.ts";
import { errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

/** Answers with what it was asked, and ends with the signal where `holds`. */
class EchoWatches implements WatchService {
  readonly requests: WatchRequest[] = [];
  readonly #holds: boolean;

  constructor(holds = false) {
    this.#holds = holds;
  }

  async serve(request: WatchRequest, response: Parameters<WatchService["serve"]>[1]): Promise<void> {
    this.requests.push(request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { signal } = request;
    if (this.#holds && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    response.end(`data: ${signal.reason instanceof BowlineError ? signal.reason.code : "none"}\n\n`);
  }
}

describe.each(samples)("Watching $kind.kind", ({ kind }) => {
  test("hands the stream over to the watch service", async () => {
    const watches = new EchoWatches();
    const { call } = await openTestApi({ watches });
    const address = `/api/v1/${kind.plural}?watch=1&labelSelector=a%3Db&fieldSelector=metadata.name%3Dc`;
    const answer = await call("GET", `${address}&resourceVersion=7`, {
      headers: { "x-request-id": "mine" },
    });
    expect(answer).toMatchObject({ status: 200, headers: { "x-request-id": "mine" } });
    await call("GET", `${address}&resourceVersion=7`, { headers: { "last-event-id": "9" } });
    await call("GET", `/api/v1/${kind.plural}?watch`);
    expect(watches.requests).toMatchObject([
      {
        kind: { kind: kind.kind },
        labels: [{ key: "a", operator: "in", values: ["b"] }],
        fields: [{ field: { text: "metadata.name" }, value: "c" }],
        since: "7",
        requestId: "mine",
      },
      { since: "9" },
      { since: undefined, labels: [], fields: [] },
    ]);
  });
});

describe("Watching", () => {
  test.each([
    ["limit=1", "no pages"],
    ["cursor=x", "no pages"],
    ["resourceVersion=x", "resourceVersion"],
    ["resourceVersion=99999999999999999999", "resourceVersion"],
    ["labelSelector=%3D", "label selector"],
  ])("refuses ?watch&%s", async (query, message) => {
    const { call } = await openTestApi({ watches: new EchoWatches() });
    const answer = await call("GET", `/api/v1/clusters?watch&${query}`);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test("shows only what somebody may see", async () => {
    const watches = new EchoWatches();
    const { call } = await openTestApi({ watches });
    await call("GET", "/api/v1/tokens?watch", { as: "viewer" });
    expect(watches.requests).toMatchObject([{ fields: [{ field: { text: "spec.user" }, value: "viewer" }] }]);
  });

  test("answers what the service refuses as any other error", async () => {
    const watches: WatchService = {
      serve: () => Promise.reject(new BowlineError("Expired", "Too old; begin again with a list.")),
    };
    const { call } = await openTestApi({ watches });
    const answer = await call("GET", "/api/v1/clusters?watch");
    expect(answer.status).toBe(410);
    expect(errorOf(answer)).toMatchObject({ code: "Expired" });
  });

  test("ends when the token is revoked, and when the server stops", async () => {
    const watches = new EchoWatches(true);
    const { app, call, access } = await openTestApi({ watches });
    const revoked = call("GET", "/api/v1/clusters?watch");
    await expect.poll(() => watches.requests).toHaveLength(1);
    access.revoke();
    expect((await revoked).text).toBe("data: Unauthorized\n\n");
    const other = await openTestApi({ watches });
    const stopped = other.call("GET", "/api/v1/clusters?watch");
    await expect.poll(() => watches.requests).toHaveLength(2);
    await Promise.all([other.app.close(), app.close()]);
    expect((await stopped).text).toBe("data: ServerUnavailable\n\n");
  });

  test("ends when the client goes", async () => {
    const watches = new EchoWatches(true);
    const { app } = await openTestApi({ watches });
    const { port, hostname } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const socket = connect(Number(port), hostname);
    socket.write(
      "GET /api/v1/clusters?watch HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer operator\r\n\r\n",
    );
    await expect.poll(() => watches.requests).toHaveLength(1);
    const signal = watches.requests[0]?.signal;
    expect(signal?.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test("is not possible where nothing serves it", async () => {
    const { call } = await openTestApi();
    const answer = await call("GET", "/api/v1/clusters?watch");
    expect(answer.status).toBe(503);
    expect(errorOf(answer)).toMatchObject({ code: "ServerUnavailable" });
    await call("POST", "/api/v1/clusters", { body: bodyOf("a", {}) });
    expect((await call("HEAD", "/api/v1/clusters?watch")).status).toBe(200);
  });
});

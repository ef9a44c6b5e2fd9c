import { once } from "node:events";
import { text } from "node:stream/consumers";

import { AccessGrant } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { answerOf, openProxy } from "./testing/proxy-harness.ts";

const pods = "/api/v1/namespaces/shop/pods";

describe("what somebody may not have any more ends", () => {
  test("when the token is revoked", async () => {
    const { begin, access, idle } = await openProxy({
      onRequest: (_, outgoing) => void outgoing.write("begun"),
    });
    const answer = await answerOf(begin(pods).end());
    access.revoke();
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    await idle();
    // A client that was let in just before is told now, because nothing would end it later.
    const late = await answerOf(begin(`${pods}?watch=1`).end());
    expect(late.statusCode).toBe(401);
    late.resume();
  });

  test("when the grant is deleted, though another covers it too", async () => {
    const { begin, store, idle, writeGrant } = await openProxy({
      onRequest: (_, outgoing) => void outgoing.write("begun"),
    });
    await writeGrant("z-other", {});
    const answer = await answerOf(begin(`${pods}?watch=1`).end());
    await store.objects.delete(AccessGrant, "operators");
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    await idle();
  });

  test("when the grant expires, or gives something else", async () => {
    const { begin, writeGrant } = await openProxy({
      onRequest: (_, outgoing) => void outgoing.write("begun"),
    });
    const kubernetes = { user: "admin", groups: ["bowline:admins"] };
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const first = await answerOf(begin(`${pods}?watch=1`).end());
    await writeGrant("operators", { kubernetes, expiresAt });
    await expect(text(first)).rejects.toMatchObject({ code: "ECONNRESET" });
    await writeGrant("operators", { kubernetes });
    await expect.poll(() => answerOf(begin(pods).end()).then(({ statusCode }) => statusCode)).toBe(200);
    const second = await answerOf(begin(`${pods}?watch=1`).end());
    await writeGrant("operators", { kubernetes: { user: "viewer", groups: [] } });
    await expect(text(second)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("when the grant is for another user, other groups or other namespaces", async () => {
    const kubernetes = { user: "dev", groups: ["developers"] };
    const changes = {
      editor: { kubernetes: { ...kubernetes, user: "other" } },
      viewer: { kubernetes: { ...kubernetes, groups: [] } },
      deputy: { kubernetes, namespaces: ["other"] },
    };
    const grants = Object.fromEntries(
      Object.keys(changes).map((user) => [user, { subjects: [{ user }], kubernetes }]),
    );
    const { begin, writeGrant } = await openProxy({
      grants,
      onRequest: (_, outgoing) => void outgoing.write("begun"),
    });
    for (const [user, change] of Object.entries(changes)) {
      const answer = await answerOf(begin(`${pods}?watch=1`, { as: user }).end());
      await writeGrant(user, { subjects: [{ user }], ...change });
      await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    }
  });

  test("but not when something else changes", async () => {
    const write = Promise.withResolvers<(line: string) => void>();
    const { begin, writeGrant, call } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.flushHeaders();
        if (incoming.url?.includes("watch") === true) write.resolve((line) => outgoing.end(line));
        else outgoing.end();
      },
    });
    const answer = await answerOf(begin(`${pods}?watch=1`).end());
    await writeGrant("viewers", { subjects: [{ user: "viewer" }] });
    await expect.poll(async () => (await call(pods, { as: "viewer" })).status).toBe(200);
    (await write.promise)("still here");
    expect(await text(answer)).toBe("still here");
  });
});

describe("a proxy that closes", () => {
  test("ends watches cleanly, lets requests finish, and takes no new ones", async () => {
    const finish = Promise.withResolvers<() => void>();
    const { begin, proxy, call } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.write("begun ");
        if (incoming.url?.includes("watch") !== true) finish.resolve(() => outgoing.end("and ended"));
      },
    });
    const watch = await answerOf(begin(`${pods}?watch=1`).end());
    const plain = await answerOf(begin(pods).end());
    const closed = proxy.close(new AbortController().signal);
    expect(await text(watch)).toBe("begun ");
    expect((await call(pods)).status).toBe(503);
    (await finish.promise)();
    expect(await text(plain)).toBe("begun and ended");
    await closed;
  });

  test("cuts what a client does not read", async () => {
    const { begin, proxy, idle } = await openProxy({
      onRequest: (_, outgoing) => outgoing.writeHead(200).end(Buffer.alloc(20_000_000)),
    });
    const answer = await answerOf(begin(pods).end());
    const broken = once(answer, "error");
    const limit = new AbortController();
    const closed = proxy.close(limit.signal);
    limit.abort();
    await closed;
    await idle();
    answer.resume();
    expect(await broken).toMatchObject([{ code: "ECONNRESET" }]);
  });

  test("cuts what does not end in time", async () => {
    const { begin, proxy, idle, audited } = await openProxy({
      onRequest: (incoming, outgoing) => {
        if (incoming.url?.includes("log") === true) outgoing.write("begun");
      },
    });
    const log = await answerOf(begin(`${pods}/web/log?follow=true`).end());
    const silent = begin(pods).end();
    const limit = new AbortController();
    const closed = proxy.close(limit.signal);
    limit.abort();
    await expect(text(log)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect((await answerOf(silent)).statusCode).toBe(503);
    await closed;
    await idle();
    expect(await audited()).toHaveLength(2);
  });
});

test("no timer outlives the proxy", async () => {
  const clock = new ManualClock();
  const { call, proxy, grants, writeGrant } = await openProxy({ clock });
  await writeGrant("later", { expiresAt: new Date(clock.now() + 1_000_000).toISOString() });
  await Promise.all([call(pods), call(pods, { as: "viewer" }), call(pods, { method: "POST", body: "x" })]);
  await clock.advance(100);
  await proxy.close(new AbortController().signal);
  await grants.close();
  expect(clock.pending).toBe(0);
});

test("nothing is left of thousands of requests, however they ended", async () => {
  const { begin, call, idle, metrics, access, upstream } = await openProxy({
    onRequest: (incoming, outgoing) => {
      incoming.resume();
      if (incoming.url === "/broken") outgoing.destroy();
      else if (incoming.url === "/endless") outgoing.write("x");
      else outgoing.end("ok");
    },
  });
  const signal = access.ended();
  let listeners = 0;
  const original = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof original>): void => {
    listeners += 1;
    original(...args);
  };
  for (let round = 0; round < 50; round += 1) {
    const endless = begin("/endless").end();
    await answerOf(endless);
    await Promise.all([
      ...Array.from({ length: 8 }, () => call("/ok")),
      call("/body", { method: "POST", body: "x".repeat(1_000) }),
      call("/broken"),
    ]);
    endless.destroy();
  }
  await idle();
  await expect
    .poll(
      async () =>
        /^bowline_proxy_open\{type="request"\} (?<open>\d+)$/mu.exec(await metrics.text())?.groups?.["open"],
    )
    .toBe("0");
  // One for each identity that authentication gave out; TestAccess makes one for each request.
  expect(listeners).toBeLessThanOrEqual(50 * 11);
  expect(upstream.listening).toBe(true);
});

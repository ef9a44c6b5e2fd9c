import { Cluster, AccessGrant } from "@bowline/api";
import { expect, test, describe } from "vitest";

import { openProxy, type Answer, type ProxyHarness } from "./testing/proxy-harness.ts";

const pods = "/api/v1/namespaces/shop/pods";

interface Told {
  readonly status: number;
  readonly reason: string;
  readonly hop: string | undefined;
  readonly message: string;
  readonly causes: Readonly<Record<string, string>>;
}

/** Checks that an answer is a Status of this server's, and returns what it says. */
function told(answer: Answer): Told {
  const body = JSON.parse(answer.text);
  expect(body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: answer.status });
  expect(answer.headers["content-type"]).toMatch(/^application\/json/u);
  const causes = Object.fromEntries(
    body.details.causes.map(({ reason, message }: Record<string, string>) => [reason, message]),
  );
  expect(causes["RequestId"]).toBe(answer.headers["x-request-id"]);
  expect(causes["Hop"]).toBe(answer.headers["x-bowline-error-from"]);
  return { status: answer.status, reason: body.reason, hop: causes["Hop"], message: body.message, causes };
}

describe("a request is refused by the server", () => {
  test.each([
    ["without a token", pods, { as: null }, 401, "Unauthorized"],
    ["with an unknown token", pods, { as: "nobody" }, 401, "Unauthorized"],
    ["without a grant", pods, { as: "viewer" }, 403, "Forbidden"],
    [
      "in a namespace that is not granted",
      "/api/v1/namespaces/other/pods",
      { as: "editor" },
      403,
      "Forbidden",
    ],
    ["in all namespaces, with a grant for some", "/api/v1/pods", { as: "editor" }, 403, "Forbidden"],
    ["as somebody else", pods, { headers: { "Impersonate-User": "root" } }, 403, "Forbidden"],
    ["with a path out of the namespace", "/api/v1/namespaces/shop/../other/pods", {}, 400, "BadRequest"],
    ["with a hidden path out of the cluster", "/%2e%2e/other/api", {}, 400, "BadRequest"],
  ] as const)("%s", async (...[, path, options, status, reason]) => {
    let wasAsked = false;
    const { call, audited } = await openProxy({
      onRequest: (_request, outgoing) => {
        wasAsked = true;
        outgoing.end();
      },
      grants: { shop: { subjects: [{ user: "editor" }], namespaces: ["shop"] } },
    });
    expect(told(await call(path, options))).toMatchObject({ status, reason, hop: "server" });
    expect(wasAsked).toBe(false);
    const outcome = status === 400 ? "failed" : "denied";
    expect(await audited()).toMatchObject([{ outcome, httpStatus: status, message: expect.any(String) }]);
  });

  test("for a cluster that does not exist", async () => {
    const { call } = await openProxy();
    const answer = told(await call(pods, { cluster: "other" }));
    expect(answer).toMatchObject({ status: 404, reason: "NotFound", hop: "server" });
  });

  test("without a grant is told what to do about it, by what they may", async () => {
    const { call } = await openProxy({ grants: { operators: { subjects: [{ user: "editor" }] } } });
    expect(told(await call(pods, { as: "viewer" })).message).toContain("; ask an admin for one.");
    expect(told(await call(pods, { as: "operator" })).message).toContain(
      "; make one, for admins need it too",
    );
  });
});

async function granted(): Promise<ProxyHarness> {
  return openProxy({
    onRequest: (incoming, outgoing) => outgoing.end(String(incoming.headers["impersonate-user"])),
    grants: {
      "a-shop": {
        subjects: [{ user: "editor" }],
        namespaces: ["shop"],
        kubernetes: { user: "shop", groups: [] },
      },
      "b-data": {
        subjects: [{ user: "editor" }],
        namespaces: ["data"],
        kubernetes: { user: "data", groups: [] },
      },
    },
  });
}

describe("a request is made as whom the grant says", () => {
  test.each([
    [pods, "shop"],
    ["/api/v1/namespaces/data/pods", "data"],
    ["/apis", "shop"],
    ["/version", "shop"],
  ])("%s as %s", async (path, user) => {
    const { call } = await granted();
    expect((await call(path, { as: "editor" })).text).toBe(user);
  });

  test("from the moment that a grant is written, until it is deleted", async () => {
    const { call, writeGrant, store } = await granted();
    await writeGrant("c-all", { subjects: [{ user: "viewer" }] });
    await expect.poll(async () => (await call(pods, { as: "viewer" })).text).toBe("viewer");
    await store.objects.delete(AccessGrant, "c-all");
    await expect.poll(async () => (await call(pods, { as: "viewer" })).status).toBe(403);
  });

  test("as long as the labels of the cluster match", async () => {
    const selector = { matchLabels: { stage: "prod" }, matchExpressions: [] };
    const { call, store } = await openProxy({
      grants: { prod: { subjects: [{ user: "viewer" }], clusters: { selector } } },
    });
    expect((await call(pods, { as: "viewer" })).status).toBe(200);
    await store.objects.write(Cluster, "prod", () => ({
      metadata: { name: "prod", labels: {}, annotations: {} },
      spec: { provider: "existing" as const },
    }));
    await expect.poll(async () => (await call(pods, { as: "viewer" })).status).toBe(403);
  });
});

describe("limits", () => {
  test("of requests a second hold for each user and cluster", async () => {
    const limits = { rate: { perSecond: 0.001, burst: 2 } };
    const { call } = await openProxy({ limits, grants: { e: { subjects: [{ user: "editor" }] } } });
    expect([await call(pods), await call(pods)].map(({ status }) => status)).toEqual([200, 200]);
    const refusal = await call(pods);
    expect(told(refusal)).toMatchObject({ status: 429, reason: "TooManyRequests", hop: "server" });
    expect(Number(refusal.headers["retry-after"])).toBeGreaterThan(1);
    expect(refusal.headers["cache-control"]).toBe("no-store");
    expect((await call(pods, { as: "editor" })).status).toBe(200);
  });

  test("of the API do not count here", async () => {
    const { call } = await openProxy({ httpLimits: { userRate: { perSecond: 0.001, burst: 1 } } });
    expect([await call(pods), await call(pods)].map(({ status }) => status)).toEqual([200, 200]);
  });

  test("of what is under way hold for requests and for streams, each for itself", async () => {
    const { begin, call } = await openProxy({
      limits: { maxRequests: 1, maxStreams: 1 },
      onRequest: (incoming, outgoing) => {
        outgoing.flushHeaders();
        if (incoming.url?.includes("slow") !== true) outgoing.end("ok");
      },
    });
    const watch = begin(`${pods}?watch=1&slow`).end();
    const [answer] = await new Promise<unknown[]>((resolve) =>
      watch.on("response", (...args) => resolve(args)),
    );
    expect(told(await call(`${pods}?watch=1`)).status).toBe(429);
    expect((await call(pods)).status).toBe(200);
    watch.destroy();
    expect(answer).toBeDefined();
    await expect.poll(async () => (await call(`${pods}?watch=1`)).status).toBe(200);
  });
});

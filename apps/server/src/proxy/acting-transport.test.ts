import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";

import { AccessGrant, Cluster, type SpecOf } from "@bowline/api";
import { identity } from "@bowline/auth/testing";
import { BowlineError, createLogger, systemClock } from "@bowline/core";
import type { ClusterTunnels } from "@bowline/gateway";
import { agentSide } from "@bowline/gateway/testing";
import { duplexChannel, TunnelConnection } from "@bowline/protocol";
import { openTestStore } from "@bowline/store/testing";
import { expect, onTestFinished, test } from "vitest";

import { ActingTransport } from "./acting-transport.ts";
import { GrantCache } from "./admission/grant-cache.ts";
import { ProxyAudit } from "./proxy-audit.ts";

const editor = identity("editor", "editor");

/** A cluster `prod` whose API server answers with nothing, and a transport that acts as the editor there. */
async function openActing(grants: Readonly<Record<string, Partial<SpecOf<typeof AccessGrant>>>>) {
  const seen: IncomingHttpHeaders[] = [];
  const upstream = createServer((incoming, outgoing) => {
    seen.push(incoming.headers);
    outgoing.end("done");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const [near, far] = duplexPair();
  const tunnel = new TunnelConnection(duplexChannel(near), { clock: systemClock });
  const accept = agentSide((upstream.address() as AddressInfo).port);
  const agent = new TunnelConnection(duplexChannel(far), { clock: systemClock, accept });
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const metadata = { name: "prod", labels: {}, annotations: {} };
  await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
  const writeGrant = (name: string, spec: Partial<SpecOf<typeof AccessGrant>>) =>
    store.objects.write(AccessGrant, name, () => ({
      metadata: { name, labels: {}, annotations: {} },
      spec: {
        subjects: [{ user: "editor" }],
        clusters: { names: ["prod"] },
        kubernetes: { groups: [] },
        ...spec,
      },
    }));
  for (const [name, spec] of Object.entries(grants)) await writeGrant(name, spec);
  const cache = new GrantCache({ store, clock: systemClock, random: Math.random });
  await cache.start();
  const logger = createLogger({ name: "test", level: "silent" });
  const audit = new ProxyAudit({ log: store.audit, clock: systemClock, logger, onDropped: () => {} });
  const tunnels: ClusterTunnels = {
    find: () => ({ agent: "agent-1", open: tunnel.open.bind(tunnel) }),
  };
  const transport = new ActingTransport({
    identity: editor,
    cluster: "prod",
    grants: cache,
    tunnels,
    audit,
    clock: systemClock,
    requestId: "reconcile-1",
  });
  onTestFinished(async () => {
    await transport.close();
    await cache.close();
    await audit.close();
    tunnel.close();
    agent.close();
    upstream.closeAllConnections();
    upstream.close();
  });
  return { transport, store, seen, audit, upstream };
}

test("every request is made as the grant that covers it says, and is recorded like those of the proxy", async () => {
  const { transport, store, seen, audit } = await openActing({
    a: { kubernetes: { user: "shop-deployer", groups: ["deployers", "shop"] }, namespaces: ["shop"] },
    b: { kubernetes: { user: "reader", groups: [] } },
  });
  const path = "/api/v1/namespaces/shop/configmaps/a?fieldManager=bowline";
  const answer = await transport.request({ method: "PATCH", path, body: "{}" });
  expect(await text(answer.body)).toBe("done");
  expect(seen[0]).toMatchObject({
    "impersonate-user": "shop-deployer",
    "impersonate-group": "deployers, shop",
    "impersonate-extra-bowline.dev%2fuser": "editor",
    "impersonate-extra-bowline.dev%2fgrant": "a",
    "impersonate-extra-bowline.dev%2frequest-id": "reconcile-1",
  });
  await text((await transport.request({ method: "GET", path: "/api/v1/nodes" })).body);
  expect(seen[1]).toMatchObject({ "impersonate-user": "reader" });
  await audit.close();
  const { items } = await store.audit.list();
  expect(items.toReversed()).toMatchObject([
    {
      actor: { user: "editor" },
      verb: "proxy",
      outcome: "allowed",
      httpStatus: 200,
      name: "prod",
      requestId: "reconcile-1",
      proxy: {
        verb: "patch",
        resource: "configmaps",
        namespace: "shop",
        name: "a",
        grant: "a",
        user: "shop-deployer",
        groups: ["deployers", "shop"],
        requestBytes: 2,
        answerBytes: 4,
      },
    },
    { proxy: { verb: "list", resource: "nodes", grant: "b" } },
  ]);
});

test("without a grant that covers it nothing is sent, and one that is taken back ends it", async () => {
  const { transport, store, seen } = await openActing({ a: { namespaces: ["shop"] } });
  const outside = transport.request({ method: "GET", path: "/api/v1/namespaces/other/pods" });
  await expect(outside).rejects.toMatchObject({
    code: "NotGranted",
    message: expect.stringContaining("in the namespace other"),
  });
  const inside = () => transport.request({ method: "GET", path: "/api/v1/namespaces/shop/pods" });
  await text((await inside()).body);
  await store.objects.delete(AccessGrant, "a");
  await expect
    .poll(() =>
      inside().then(
        ({ body }) => text(body),
        (error: unknown) => BowlineError.from(error).code,
      ),
    )
    .toBe("NotGranted");
  const sent = seen.length;
  await expect(inside()).rejects.toThrow("No AccessGrant lets editor reach the cluster prod");
  expect(seen).toHaveLength(sent);
});

test("an answer that breaks off is recorded with the reason", async () => {
  const { transport, store, audit, upstream } = await openActing({ a: {} });
  upstream.removeAllListeners("request");
  upstream.on("request", (_, outgoing) => {
    outgoing.write("begun");
    outgoing.socket?.destroy();
  });
  const answer = transport.request({ method: "GET", path: "/version" });
  await expect(answer.then(({ body }) => text(body))).rejects.toMatchObject({ code: expect.any(String) });
  await audit.close();
  expect((await store.audit.list()).items).toMatchObject([
    { outcome: "failed", message: expect.any(String), proxy: { path: "/version" } },
  ]);
});

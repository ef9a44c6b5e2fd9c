import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { sendJson, testConnection, TestServer, type TestHandler } from "../testing/test-server.ts";
import { connect } from "../transport/connect.ts";
import { KubeClient } from "./kube-client.ts";
import { resources } from "./resources.ts";
import { evictPod, getScale, requestToken, setScale, streamPodLog } from "./subresources.ts";

const cleanups: (() => Promise<unknown>)[] = [];
const web = { namespace: "shop", name: "web" } as const;

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function clientOf(handler: TestHandler): Promise<KubeClient> {
  const server = await TestServer.start(handler);
  cleanups.push(() => server.close());
  const transport = connect(testConnection(server.url));
  cleanups.push(() => transport.close());
  return new KubeClient(transport);
}

/** Answers with what the function makes of the request's body. */
function withBody(answer: (body: Record<string, unknown>, url: string) => [number, unknown]): TestHandler {
  return (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      const [status, value] = answer(body, `${request.method} ${request.url}`);
      sendJson(response, status, value);
    });
  };
}

it("reads and sets the scale", async () => {
  const client = await clientOf(
    withBody((body, url) => [
      200,
      { kind: "Scale", metadata: {}, spec: body["spec"] ?? { replicas: 1 }, url },
    ]),
  );
  expect((await getScale(client, resources.deployments, web)).spec.replicas).toBe(1);
  const scaled = await setScale(client, resources.deployments, { ...web, replicas: 3 });
  expect(scaled).toMatchObject({
    spec: { replicas: 3 },
    url: "PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale",
  });
});

it("evicts with the version the server knows", async () => {
  const versions: unknown[] = [];
  const old = await clientOf(
    withBody((body, url) => {
      versions.push(body["apiVersion"], url);
      const isKnown = body["apiVersion"] === "policy/v1beta1";
      return isKnown
        ? [201, { kind: "Status" }]
        : [400, { kind: "Status", reason: "BadRequest", message: "no kind" }];
    }),
  );
  await evictPod(old, { ...web, gracePeriodSeconds: 5 });
  const url = "POST /api/v1/namespaces/shop/pods/web/eviction";
  expect(versions).toEqual(["policy/v1", url, "policy/v1beta1", url]);
});

it("reports a disruption budget that forbids the eviction, and does not wait for it", async () => {
  const client = await clientOf((_, response) => {
    response.setHeader("retry-after", "10");
    const details = { retryAfterSeconds: 10 };
    sendJson(response, 429, { kind: "Status", reason: "TooManyRequests", message: "budget", details });
  });
  await expect(evictPod(client, web)).rejects.toMatchObject({
    code: "TooManyRequests",
    details: { attempts: 1, retryAfterSeconds: 10 },
  });
});

it("gets a token of a ServiceAccount", async () => {
  const client = await clientOf(
    withBody((body) => [
      201,
      { ...body, status: { token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" } },
    ]),
  );
  expect(await requestToken(client, { ...web, audiences: ["me"], expirationSeconds: 600 })).toEqual({
    token: "t",
    expirationTimestamp: "2026-01-01T00:00:00Z",
  });
  const silent = await clientOf(withBody((body) => [201, body]));
  await expect(requestToken(silent, web)).rejects.toMatchObject({ code: "ResponseInvalid" });
});

it("follows a log until the reader leaves", async () => {
  const left = Promise.withResolvers<string | undefined>();
  const client = await clientOf((request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("first line\n");
    response.once("close", () => left.resolve(request.url));
  });
  const log = await streamPodLog(client, { ...web, container: "app", follow: true, tailLines: 10 });
  const [chunk] = (await once(log, "data")) as [Buffer];
  expect(chunk.toString()).toBe("first line\n");
  log.destroy();
  expect(await left.promise).toBe(
    "/api/v1/namespaces/shop/pods/web/log?container=app&follow=true&tailLines=10",
  );
});

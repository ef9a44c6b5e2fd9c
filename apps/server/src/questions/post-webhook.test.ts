import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";

import { openTestStore } from "@bowline/store/testing";
import { certificateNames } from "@bowline/tls";
import { issueServingCertificate } from "@bowline/tls/issue";
import { expect, onTestFinished, test } from "vitest";

import { sharedAuthority } from "../tls/self-made-certificate.ts";
import { mayCall, postWebhook } from "./post-webhook.ts";

const signal = new AbortController().signal;

test.each([
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["0.0.0.0", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["fe80::1", false],
  ["name", false],
  ["10.1.2.3", true],
  ["203.0.113.7", true],
  ["2001:db8::1", true],
])("%s may be called: %s", (address, expected) => {
  expect(mayCall(address)).toBe(expected);
});

test.each(["https://127.0.0.1:1/", "https://localhost:1/", "https://[::1]:1/"])(
  "the server itself is not called: %s",
  async (url) => {
    await expect(postWebhook({ url, id: "1", body: {}, signal })).rejects.toThrow("server itself");
  },
);

test("a webhook gets signed JSON with its id, and is no success unless it says so", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const authority = await sharedAuthority(store.installation, Date.now());
  const names = certificateNames(["localhost"]);
  const pair = await issueServingCertificate(authority, { names, nowMs: Date.now() });
  const taken: { readonly body: string; readonly headers: NodeJS.Dict<string | string[]> }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isFirst = taken.push({ body: await text(request), headers: request.headers }) === 1;
    response.writeHead(isFirst ? 204 : 302, { Location: "https://elsewhere.example.com" }).end();
  };
  const server = createServer({ ...pair }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const call = {
    url: `https://localhost:${port}/x`,
    secret: "sixteen-characters",
    id: "7",
    body: { a: 1 },
    signal,
  };
  const options = { ca: authority.cert, mayCall: (each: string) => each === "127.0.0.1" };
  await postWebhook(call, options);
  const signature = createHmac("sha256", call.secret).update('{"a":1}').digest("hex");
  expect(taken[0]).toMatchObject({
    body: '{"a":1}',
    headers: { "bowline-delivery": "7", "bowline-signature": `sha256=${signature}` },
  });
  await expect(postWebhook(call, options)).rejects.toThrow("status 302");
});

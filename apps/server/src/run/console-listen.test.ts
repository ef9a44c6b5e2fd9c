import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";

import { expect, test } from "vitest";

import { send } from "./testing/https-request.ts";
import { startTestServer, tempFolder } from "./testing/start-test-server.ts";

/** What a script of the page sends. */
const ofConsole = { "sec-fetch-site": "same-origin", "x-bowline-console": "1" };

test("browsers of this machine sign in without TLS, beside everybody else who has it, until the server stops", async () => {
  const server = await startTestServer({ "--data": await tempFolder(), "--console-listen": "127.0.0.1:0" });
  const { consoleUrl = "", url, adminToken: token = "" } = server;
  const origin = new URL(consoleUrl).origin;
  expect(consoleUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/$/u);
  const page = await fetch(consoleUrl, { headers: { accept: "text/html" } });
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const ca = readFileSync(server.caFile ?? "", "utf8");
  expect((await send(`${url}/readyz`, { ca })).status).toBe(200);

  const made = await send(`${url}/api/v1/sessions/codes`, { method: "POST", ca, token });
  const { code } = JSON.parse(made.body);
  const started = await send(`${origin}/api/v1/sessions`, { method: "POST", body: { code } });
  const cookie = String(started.headers["set-cookie"]).split(";")[0] ?? "";
  const whoami = await fetch(`${origin}/api/v1/whoami`, { headers: { ...ofConsole, cookie } });
  expect(await whoami.json()).toMatchObject({ user: "admin", session: expect.stringMatching(/^s-/u) });

  const watching = request(`${origin}/api/v1/clusters?watch=1`, { headers: { ...ofConsole, cookie } }).end();
  const [stream] = (await once(watching, "response")) as [IncomingMessage];
  stream.resume();
  const ended = once(stream, "close");
  const { name } = JSON.parse(started.body).metadata;
  await send(`${url}/api/v1/sessions/${name}`, { method: "DELETE", ca, token });
  await ended;

  await server.close();
  await expect(send(`${origin}/readyz`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

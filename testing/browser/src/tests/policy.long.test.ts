import { createServer } from "node:http";
import { once } from "node:events";

import { Cluster } from "@bowline/api";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

import { forgeRequests } from "../browser/in-page.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: ["edge"] });

/** Ways to bring a script, a style or an address of others into a page. */
const attempts = [
  "document.body.innerHTML = '<img src=x onerror=globalThis.broken=1>'",
  "const s = document.createElement('script'); s.textContent = 'globalThis.broken = 1'; document.body.append(s)",
  "const s = document.createElement('script'); s.src = 'data:text/javascript,globalThis.broken=1'; document.body.append(s)",
  "const a = document.createElement('a'); a.href = 'javascript:globalThis.broken=1'; document.body.append(a); a.click()",
  "const s = document.createElement('style'); s.textContent = 'body{display:none}'; document.body.append(s)",
  "document.body.setAttribute('style', 'display:none')",
  "new Image().src = 'https://example.test/leak.png'",
  "fetch('https://example.test/leak').catch(() => {})",
  "new WebSocket('wss://example.test/leak')",
  "new Worker('data:text/javascript,1')",
  // Later, because what a test runs at once may do more than the page may.
  "setTimeout(() => eval('globalThis.broken = 1'))",
];

test("nothing comes from elsewhere", async () => {
  const visit = await on.signIn();
  const hosts = new Set<string>();
  visit.context.on("request", (request) => void hosts.add(new URL(request.url()).host));
  await visit.page.reload();
  await visit.heading("Fleet").waitFor();
  expect([...hosts]).toEqual([new URL(on.stage.server.consoleUrl).host]);
});

test.each(attempts)("the page stops %s, and says so", async (code) => {
  const { page, complaints } = await on.signIn();
  complaints.expect(/./u);
  await page.evaluate(`{ try { ${code} } catch {} }`);
  await expect.poll(() => complaints.all.join("\n")).toMatch(/^securitypolicyviolation: /mu);
  expect(await page.evaluate("globalThis.broken")).toBeUndefined();
  expect(await page.evaluate("getComputedStyle(document.body).display")).not.toBe("none");
});

/** A page of somebody else, on another port of this machine. */
async function openOther(page: Page, host: string): Promise<void> {
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<h1>Nice pictures</h1>"),
  );
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("It listens nowhere.");
  await page.goto(`http://${host}:${address.port}/`);
}

test("the console cannot be put into a frame", async () => {
  const { page, complaints } = await on.signIn();
  complaints.expect(/frame-ancestors|X-Frame-Options|ERR_BLOCKED_BY_RESPONSE/u);
  await openOther(page, "127.0.0.1");
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(on.stage.server.consoleUrl)} }))`,
  );
  await expect.poll(() => complaints.all.join("\n")).toMatch(/frame-ancestors|X-Frame-Options/u);
});

test.each([
  ["another site", "localhost"],
  ["a sibling on the same site, to whom the browser gives the cookie", "127.0.0.1"],
])("%s changes nothing, and reads nothing", async (_, host) => {
  const visit = await on.signIn();
  const { page, complaints, context } = visit;
  const { origin } = new URL(on.stage.server.consoleUrl);
  const sent: (string | undefined)[] = [];
  const other = await context.newPage();
  await openOther(other, host);
  complaints.expect(/./u);
  context.on("response", async (response) => {
    if (response.url().startsWith(origin)) sent.push((await response.request().allHeaders())["cookie"]);
  });
  const clusters = async (): Promise<string[]> =>
    (await on.stage.server.admin.list(Cluster)).items.map(({ metadata }) => metadata.name);
  const namespaces = (): string[] =>
    [...on.stage.cluster("edge").sim.api.list("namespaces")].map(({ metadata }) => metadata.name);
  const before = [await clusters(), namespaces()];
  expect(await other.evaluate(forgeRequests, origin)).toEqual({ read: [], isSocketOpen: false });
  expect([await clusters(), namespaces()]).toEqual(before);
  // The very same requests of our own page do change things, so it was not they that were wrong.
  expect(await page.evaluate(forgeRequests, origin)).toMatchObject({ isSocketOpen: true });
  expect(await clusters()).toContain("forged");
  await on.stage.server.admin.delete(Cluster, "forged");
  // What a request had is told after its answer.
  await expect.poll(() => sent.some((cookie) => cookie?.includes("__Host-bowline"))).toBe(true);
});

import { Cluster } from "@bowline/api";
import { expect, onTestFinished, test } from "vitest";

import { startChromium } from "../browser/chromium.ts";
import { Visit } from "../browser/visit.ts";
import { Replicas } from "../stage/replicas.ts";
import { untilTestEnds } from "../stage/use-stage.ts";

test("a page goes on when the server it is connected to is killed", { timeout: 240_000 }, async () => {
  const replicas = await Replicas.start();
  onTestFinished(() => replicas[Symbol.asyncDispose]());
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const visit = untilTestEnds(await Visit.open(browser, replicas.consoleUrl));
  // The connection that was cut, and attempts before the address leads to the other server.
  visit.complaints.expect(/ERR_(?:CONNECTION|EMPTY|INCOMPLETE)|WebSocket/u);
  const { page } = visit;
  const { code } = await replicas.admin.createSignInCode();
  await page.goto(`${replicas.consoleUrl}#code=${code}`);
  await visit.heading("Fleet").waitFor();
  await page.getByRole("link", { name: "Clusters", exact: true }).click();
  const add = async (name: string): Promise<void> => {
    await replicas.admin.apply(Cluster, name, { metadata: { name }, spec: {} });
    await page.getByRole("row", { name: new RegExp(name, "u") }).waitFor({ timeout: 60_000 });
  };
  await add("before");
  expect(replicas.connectionsToSecond).toBe(0);
  await replicas.killFirst();
  // Without a reload, and without signing in again.
  await add("after");
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  expect(await page.getByRole("row", { name: /before/u }).count()).toBe(1);
  expect(replicas.connectionsToSecond).toBeGreaterThan(0);
  await page.reload();
  await page.getByRole("row", { name: /after/u }).waitFor();
});

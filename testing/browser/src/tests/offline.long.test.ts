import { expect, test } from "vitest";

import { accessibilityProblems } from "../browser/accessibility-problems.ts";
import { sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge"), "cloud"] });

test("a cluster whose agent is cut off is told of while one looks, and is well again by itself", async () => {
  const visit = await on.signIn();
  const { page } = visit;
  const line = page.getByRole("list", { name: "Clusters", exact: true }).getByRole("listitem");
  const edge = line.filter({ hasText: "edge" });
  await edge.getByText("Healthy").waitFor();
  await on.stage.cluster("edge").disconnect();
  await edge.getByText("Degraded").waitFor();
  // What needs somebody is first.
  expect(await line.first().textContent()).toContain("edge");
  expect(await accessibilityProblems(page)).toEqual([]);
  await on.stage.cluster("edge").reconnect();
  await edge.getByText("Healthy").waitFor({ timeout: 60_000 });
});

test(
  "a list and logs say that the agent is away, keep what they had, and go on by themselves",
  { timeout: 180_000 },
  async () => {
    const visit = await on.signIn();
    const { page, complaints, context } = visit;
    complaints.expect(/503 \(Service Unavailable\)|WebSocket/u);
    await visit.open("/c/edge/k/core/v1/pods");
    const till = page.getByRole("row", { name: /till/u });
    await till.waitFor();
    const logs = await context.newPage();
    await logs.goto(visit.address("/c/edge/logs?ns=shop&pod=till"));
    const lines = logs.getByRole("listbox", { name: "Lines" }).getByRole("option");
    await lines.first().waitFor();
    await on.stage.cluster("edge").disconnect();
    await page
      .getByText(/offline|away/iu)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await till.count()).toBe(1);
    expect(await lines.count()).toBeGreaterThan(0);
    await on.stage.cluster("edge").reconnect();
    const { api } = on.stage.cluster("edge").sim;
    api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "later", namespace: "shop" },
      spec: { containers: [{ name: "later", image: "example.test/later:1.0" }] },
    });
    await page.getByRole("row", { name: /later/u }).waitFor({ timeout: 120_000 });
  },
);

test("a shell whose terminal cannot be loaded says so, and is there once the page is loaded again", async () => {
  const visit = await on.signIn();
  const { page, complaints, context } = visit;
  complaints.expect(/ERR_FAILED|WebSocket/u);
  await context.route(/\/assets\/terminal-/u, (route) => route.abort());
  await visit.open("/c/edge/shell?ns=shop&pod=till");
  const alert = page.getByRole("alert").filter({ hasText: "This did not work" });
  await alert.waitFor();
  await page.getByRole("status").filter({ hasText: "No terminal" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await context.unrouteAll();
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.locator(".xterm").waitFor();
});

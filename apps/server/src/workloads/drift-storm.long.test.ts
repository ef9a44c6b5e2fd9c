import { expect, test } from "vitest";

import { configMap } from "../sources/testing/source-harness.ts";
import { ReportingAgent } from "./testing/reporting-agent.ts";
import { WorkloadHarness } from "./testing/workload-harness.ts";

const objects = 100;
const rounds = 100;

test("ten thousand reports of drift at once are judged together, and no object is set right at each of them", async () => {
  const harness = await WorkloadHarness.open();
  const cluster = await harness.addCluster("a");
  const names = Array.from({ length: objects }, (_, at) => `map-${at}`);
  await harness.define(names.map((name) => configMap(name)).join("---\n"));
  await harness.place(["a"]);
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  const agent = await ReportingAgent.start(harness, cluster);
  await agent.report();
  await expect.poll(() => harness.condition("a", "Healthy")).toBe("True AllHealthy");

  const [sent, head] = [cluster.requests.length, await harness.store.changes.head()];
  const began = performance.now();
  const reports = await agent.storm(rounds);
  const stormMs = performance.now() - began;
  expect(reports).toBe(objects * rounds);
  const corrections = (): number =>
    cluster.requests.slice(sent).filter((line) => /^PATCH .*configmaps/u.test(line)).length;
  await expect.poll(corrections).toBeGreaterThanOrEqual(objects);
  // The last that is told is the truth, and nothing is left of the storm.
  await agent.report();
  await expect
    .poll(async () => (await harness.placement("a"))?.status.resources.some(({ drifted }) => drifted))
    .toBe(false);
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  const writes = (await harness.store.changes.head()) - head;
  const patches = corrections();
  console.log(
    `${reports} reports in ${Math.round(stormMs)} ms: ${writes} writes of objects, ${patches} corrections`,
  );
  // Each turn of a placement begins at least 250 ms after the one before, and leads to a few writes.
  expect(writes).toBeLessThan(reports / 50);
  // One is set right at once, then with growing pauses, and never more than six times.
  expect(patches).toBeLessThanOrEqual(6 * objects);
  expect(harness.logged).toEqual([]);
});

import { forwardTo } from "@bowline/kubesim";
import { startPrometheus } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const sample = sampleCluster("edge");
const on = useStage({
  clusters: [
    {
      ...sample,
      sim: { metrics: true },
      objects: [
        ...(sample.objects ?? []),
        ["namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "monitoring" } }],
        [
          "services",
          {
            apiVersion: "v1",
            kind: "Service",
            metadata: { name: "prometheus", namespace: "monitoring" },
            spec: { ports: [{ name: "web", port: 9090 }] },
          },
        ],
      ],
    },
  ],
});

test("what nodes and pods use, as the cluster measures it", async () => {
  await on.stage.cluster("edge").sim.settled();
  const visit = await on.signIn();
  const { page } = visit;
  await visit.arrive("/c/edge/metrics", "Metrics of edge");
  const nodes = page.getByRole("region", { name: "Usage of nodes" }).getByRole("row");
  await expect.poll(() => nodes.count()).toBe(3);
  // The node, its cores, their share, its memory, the share of that.
  expect(await nodes.nth(1).innerText()).toMatch(/\d+m\s+\d+ %\s+[\d.]+ [MG]i?B\s+\d+ %/u);
  const till = page.getByRole("region", { name: "Usage of pods" }).getByRole("row", { name: /shop\/till/u });
  expect(await till.innerText()).toMatch(/\d+m\s+[\d.]+ [KM]i?B/u);
  expect(await problemsInBothThemes(page)).toEqual([]);
});

test("a chart of PromQL, by a real Prometheus behind a Service", async () => {
  const prometheus = await startPrometheus();
  onTestFinished(() => prometheus.stop());
  onTestFinished(
    on.stage.cluster("edge").sim.backends.add("monitoring", "prometheus", forwardTo(prometheus.port)),
  );
  // It has measured for longer than a step of the chart.
  const enough = encodeURIComponent("count_over_time(up[1m]) > 6");
  const measured = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${prometheus.port}/api/v1/query?query=${enough}`)).text();
  await expect.poll(measured).toContain('"job":"itself"');
  const visit = await on.signIn();
  const { page } = visit;
  await visit.arrive("/c/edge/metrics?range=15m&step=5s", "Metrics of edge");
  // It was found by its name.
  expect(await page.getByLabel("Prometheus", { exact: true }).inputValue()).toBe(
    "monitoring/prometheus:9090",
  );
  await page.getByLabel("PromQL").fill("sum by (job) (up)");
  await page.getByRole("button", { name: "Ask" }).click();
  const charts = page.getByRole("region", { name: "Charts" });
  await charts.locator("canvas").waitFor();
  await charts.getByText('{job="itself"}').first().waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  visit.complaints.expect(/400 \(Bad Request\)/u);
  await page.getByLabel("PromQL").fill("sum by (");
  await page.getByRole("button", { name: "Ask" }).click();
  await charts
    .getByRole("alert")
    .getByText(/parse error/u)
    .waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
});

test("a Prometheus that nothing runs behind is told as the cluster tells it", async () => {
  const visit = await on.signIn();
  visit.complaints.expect(/503 \(Service Unavailable\)/u);
  await visit.open("/c/edge/metrics?query=up&service=monitoring%2Fprometheus%3A9090");
  const said = visit.page.getByRole("alert").filter({ hasText: "no endpoints available for service" });
  await expect.poll(() => said.count()).toBe(1);
});

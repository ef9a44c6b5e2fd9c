import { expect, test } from "vitest";

import { metricsAgents, monitorKinds, monitoringPath, monitorVerdict, readMonitoring } from "./monitoring.ts";

const [serviceMonitor = metricsAgents] = monitorKinds;

const agent = {
  metadata: { name: "main", namespace: "monitoring" },
  status: {
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "" }],
    monitors: { selected: 4, rejected: 1, scrapeJobs: 3 },
    expectedTargets: 12,
    replicas: 2,
    readyReplicas: 1,
    instances: [{ name: "shop/team", selected: 4, rejected: 1, scrapeJobs: 3 }],
    rejected: [
      { object: "ServiceMonitor shop/web", path: "spec.endpoints[0]", message: "Bad.", fix: "Mend it." },
    ],
    withoutTargets: [{ object: "ServiceMonitor shop/db", message: "No Service has these labels." }],
  },
};

test("an agent is read as its status tells", () => {
  const { objects, isCut } = readMonitoring(metricsAgents, { items: [agent], metadata: { continue: "x" } });
  expect(isCut).toBe(true);
  expect(objects[0]).toMatchObject({
    name: "main",
    selected: 4,
    scrapeJobs: 3,
    expectedTargets: 12,
    instances: ["shop/team"],
    rejected: [{ object: "ServiceMonitor shop/web", fix: "Mend it." }],
    withoutTargets: [{ object: "ServiceMonitor shop/db", fix: "" }],
  });
});

test("what became of a monitor is what agents say of it", () => {
  const { objects: holders } = readMonitoring(metricsAgents, { items: [agent] });
  const verdict = (name: string): string =>
    monitorVerdict({ kind: serviceMonitor, namespace: "shop", name }, holders).state;
  expect(["web", "db", "cache"].map(verdict)).toEqual(["rejected", "withoutTargets", "used"]);
  expect(monitorVerdict({ kind: serviceMonitor, namespace: "shop", name: "web" }, []).state).toBe("unread");
});

test("a hostile list has no surprises", () => {
  const { objects } = readMonitoring(metricsAgents, {
    items: [
      null,
      7,
      {
        metadata: [],
        status: { conditions: "x", monitors: { selected: "many" }, rejected: [null, "a"], replicas: null },
      },
    ],
  });
  expect(objects).toHaveLength(3);
  expect(objects[2]).toMatchObject({ name: "", selected: undefined, replicas: undefined, conditions: [] });
  expect(readMonitoring(metricsAgents, "text").objects).toEqual([]);
});

test("lists are asked for through the proxy, in pages", () => {
  expect(monitoringPath("edge", metricsAgents)).toBe(
    "/clusters/edge/apis/monitoring.bowline.dev/v1alpha1/metricsagents?limit=500",
  );
});

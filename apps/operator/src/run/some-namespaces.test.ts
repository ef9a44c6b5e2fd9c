import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createLogger, systemClock } from "@bowline/core";
import { resources } from "@bowline/kube";
import { expect, onTestFinished, test } from "vitest";

import { loadOperatorConfig } from "../config/operator-config.ts";
import { monitorResources } from "../objects/kinds.ts";
import { documentedRightsIn } from "../testing/documented-rights.ts";
import {
  metricsAgent,
  metricsInstance,
  namespace,
  podMonitor,
  secret,
  serviceMonitor,
  withPassword,
} from "../testing/objects.ts";
import { openSimBench } from "../testing/sim-bench.ts";
import { startOperator } from "./start-operator.ts";

test("with a Role in two namespaces an operator does all of its work there, and sees nothing else", async () => {
  const { bench, sim, folder } = await openSimBench({ runsOperator: false });
  const user = { name: "operator", token: "operator-token" };
  await bench.apply(...["shop", "monitoring", "other"].map((name) => namespace(name, { env: "prod" })));
  await bench.apply(...(await documentedRightsIn(user.name, ["shop", "monitoring"])));
  sim.addUser(user.token, { name: user.name, groups: [] });
  const kubeconfig = join(folder, "operator.kubeconfig");
  await writeFile(kubeconfig, sim.kubeconfig(user));
  const flags = {
    "--kubeconfig": kubeconfig,
    "--health-listen": "127.0.0.1:0",
    "--namespaces": "shop,monitoring",
    "--lease-namespace": "monitoring",
  };
  const operator = await startOperator(loadOperatorConfig({ flags, environment: {} }), {
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ name: "operator", level: "silent" }),
    version: "1.2.3",
  });
  onTestFinished(() => operator.close());
  await bench.apply(
    serviceMonitor("shop/web", withPassword("login")),
    serviceMonitor("other/web"),
    podMonitor("shop/jobs"),
    metricsAgent("other/main"),
    metricsInstance("shop/team", { podMonitorSelector: {} }),
    metricsAgent("monitoring/main"),
  );
  await expect.poll(() => bench.jobs("monitoring/main")).toEqual(["podMonitor/shop/jobs/0"]);
  await bench.apply(secret("shop/login", { password: "one" }));
  const jobs = ["podMonitor/shop/jobs/0", "serviceMonitor/shop/web/0"];
  await expect.poll(() => bench.jobs("monitoring/main")).toEqual(jobs);
  await expect.poll(() => bench.condition("monitoring/main", "Reconciled")).toMatch(/^True/u);
  await expect
    .poll(() => bench.condition("monitoring/main", "TargetsFound"))
    .toMatch(/^False NoTargets PodMonitor shop\/jobs/u);
  expect(await bench.get(resources.secrets, "other/metrics-main-config-0")).toBeUndefined();

  // Labels of namespaces are not known, and not taken for none.
  const byLabel = { matchExpressions: [{ key: "env", operator: "NotIn" as const, values: ["prod"] }] };
  await bench.apply(
    metricsInstance("shop/team", { serviceMonitorNamespaceSelector: byLabel, podMonitorSelector: {} }),
  );
  await bench.delete(monitorResources[1] ?? resources.pods, "shop/jobs");
  await expect
    .poll(() => bench.condition("monitoring/main", "MonitorsSelected"))
    .toMatch(/^False .* of which only the name is known here; select it by kubernetes\.io\/metadata\.name/u);
  const byName = { matchLabels: { "kubernetes.io/metadata.name": "shop" } };
  await bench.apply(metricsInstance("shop/team", { serviceMonitorNamespaceSelector: byName }));
  await expect.poll(() => bench.jobs("monitoring/main")).toEqual(jobs.slice(1));
});

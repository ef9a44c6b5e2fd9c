import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { resources, type KubeObject } from "@bowline/kube";
import { whyNoCluster } from "@bowline/test-cluster";
import { createTempFolder, findProgram } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { metricsAgents, monitorResources } from "./objects/kinds.ts";
import { exporter, lock, service } from "./testing/exporter.ts";
import { liveImage, LiveStage } from "./testing/live-stage.ts";
import {
  metricsAgent,
  metricsInstance,
  namespace,
  podMonitor,
  secret,
  serviceMonitor,
} from "./testing/objects.ts";

const prometheus = await findProgram({ program: "prometheus", debianPackage: "prometheus" });
const obstacle = prometheus === undefined ? "no prometheus" : await whyNoCluster(process.env);

/** Pods that start, and a script that looks every five seconds. */
const patiently = { timeout: 90_000, interval: 1000 };

const login = (password: string): KubeObject => secret("shop/login", { username: "collector", password });

const webMonitor = (labels: Record<string, string>): KubeObject => {
  const username = { name: "login", key: "username" };
  const password = { name: "login", key: "password" };
  return serviceMonitor("shop/web", { path: "/secure/metrics", basicAuth: { username, password } }, labels);
};

const orders = {
  value: "42",
  job: "web",
  service: "web",
  namespace: "shop",
  pod: "web",
  container: "server",
  endpoint: "web",
  cluster: "default/main",
};

describe.skipIf(obstacle)(
  "monitors on a real cluster, in Debian's Prometheus with a stand-in for its discovery",
  () => {
    let opened: LiveStage | undefined;
    const stage = (): LiveStage => {
      if (opened === undefined) throw new Error("The stage is not open.");
      return opened;
    };
    /** The collector, and when its first sample was seen. */
    const first: { pod?: string | undefined; seenMs: number } = { seenMs: 0 };
    const series = (query: string): Promise<Record<string, string>[]> => stage().series(query);
    const collectorPod = async (): Promise<string | undefined> =>
      (await stage().bench.get(resources.pods, "default/metrics-main-shard-0-0"))?.metadata.uid;

    beforeAll(async () => {
      opened = await LiveStage.open(prometheus ?? "");
      const { bench, receiver } = opened;
      await bench.apply(namespace("shop", { team: "shop" }), namespace("jobs"));
      // Until they have one, no pod can be made there.
      for (const account of ["shop/default", "jobs/default"])
        await vi.waitUntil(() => bench.get(resources.serviceAccounts, account), patiently);
      await bench.apply(
        exporter({ id: "shop/web", metric: "shop_orders_total 42", password: "one" }),
        service("shop/web", "web"),
        service("shop/same-pods", "another"),
        exporter({ id: "jobs/worker", metric: "jobs_done_total 7" }),
        login("one"),
        podMonitor("jobs/worker", { path: "/secure/metrics" }),
        metricsInstance("default/team", {
          serviceMonitorSelector: { matchLabels: { collect: "yes" } },
          serviceMonitorNamespaceSelector: { matchLabels: { team: "shop" } },
          podMonitorSelector: {},
          podMonitorNamespaceSelector: {},
          remoteWrite: [{ url: receiver.writeUrl, queueConfig: { batchSendDeadline: "100ms" } }],
        }),
        metricsAgent("default/main", {
          version: "v2.42.0",
          image: liveImage,
          imagePullPolicy: "Never",
          scrapeInterval: "1s",
        }),
        metricsAgent("jobs/main", { replicas: 0 }),
      );
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    test("a PodMonitor that is there from the start is collected", async () => {
      await expect
        .poll(() => series("jobs_done_total"), patiently)
        .toMatchObject([
          { value: "7", job: "jobs/worker", namespace: "jobs", pod: "worker", endpoint: "web" },
        ]);
      first.seenMs = Date.now();
      first.pod = await collectorPod();
      await expect.poll(() => stage().bench.condition("default/main", "Ready"), patiently).toMatch(/^True/u);
    });

    test("a ServiceMonitor that is added is collected", async () => {
      expect(await series("shop_orders_total")).toEqual([]);
      await stage().bench.apply(webMonitor({ collect: "yes" }));
      await expect.poll(() => series("shop_orders_total"), patiently).toMatchObject([orders]);
    });

    test("as many targets are expected as the collector has, whatever ports are asked for", async () => {
      const { bench, cluster } = stage();
      const expected = async (): Promise<number | undefined> =>
        (await bench.status("default/main"))?.expectedTargets;
      const path = "/api/v1/namespaces/default/pods/metrics-main-shard-0-0:9090/proxy/api/v1/targets";
      const collected = async (): Promise<number> => {
        await series("up");
        const answer: { data?: { activeTargets?: unknown[] } } = JSON.parse(
          await cluster.kubectl(["get", "--raw", path]),
        );
        return answer.data?.activeTargets?.length ?? 0;
      };
      await expect.poll(expected, patiently).toBe(2);
      await expect.poll(collected, patiently).toBe(2);

      const endpoints = [
        { targetPort: "admin" },
        { targetPort: 8080 },
        { targetPort: 9999 },
        // The port of the Service, and the other one of the container.
        {},
      ];
      await bench.apply(serviceMonitor("shop/ports", {}, { collect: "yes" }, { endpoints }));
      await expect.poll(expected, patiently).toBe(6);
      await expect.poll(collected, patiently).toBe(6);
      expect(await bench.condition("default/main", "TargetsFound")).toBe(
        "False NoTargets ServiceMonitor shop/ports finds no target: No container behind the Service shop/web declares the port 9999.",
      );
      await bench.delete(monitorResources[0] ?? metricsAgents, "shop/ports");
      await expect.poll(expected, patiently).toBe(2);
      await expect.poll(collected, patiently).toBe(2);
      expect(await bench.condition("default/main", "TargetsFound")).toMatch(/^True/u);
    });

    test("one that loses its label is not, until it has it again", async () => {
      await stage().bench.apply(webMonitor({}));
      await expect.poll(() => series("shop_orders_total"), patiently).toEqual([]);
      await stage().bench.apply(webMonitor({ collect: "yes" }));
      await expect.poll(() => series("shop_orders_total"), patiently).toMatchObject([orders]);
    });

    test("a Secret that is rotated lets the collector in again", async () => {
      const { bench, cluster } = stage();
      await cluster.kubectl(["exec", "--namespace=shop", "web", "--", "sh", "-c", lock("two")]);
      await expect.poll(() => series('up{job="web"}'), patiently).toMatchObject([{ value: "0" }]);
      await expect.poll(() => series("shop_orders_total"), patiently).toEqual([]);
      await bench.apply(login("two"));
      await expect.poll(() => series("shop_orders_total"), patiently).toMatchObject([orders]);
      await expect.poll(() => series('up{job="web"}'), patiently).toMatchObject([{ value: "1" }]);
    });

    test("a namespace that is relabelled leaves, and comes back", async () => {
      const { bench } = stage();
      await bench.apply(namespace("shop", { team: "none" }));
      await expect.poll(() => series("shop_orders_total"), patiently).toEqual([]);
      await bench.apply(namespace("shop", { team: "shop" }));
      await expect.poll(() => series("shop_orders_total"), patiently).toMatchObject([orders]);
    });

    test("through all of this the other target was collected without a gap, by the same pod", async () => {
      expect(await collectorPod()).toBe(first.pod);
      const seconds = Math.floor((Date.now() - first.seenMs) / 1000);
      const [found] = await series(`count_over_time(jobs_done_total[${seconds}s:1s])`);
      expect(Number(found?.["value"])).toBeGreaterThanOrEqual(seconds);
    });

    test("promtool accepts every configuration that the collector was given", async () => {
      const folder = await createTempFolder("promtool");
      onTestFinished(() => folder[Symbol.asyncDispose]());
      const files = [...stage().discovery.configs].map((config, index) => ({
        file: join(folder.path, `${index}.yaml`),
        config,
      }));
      for (const { file, config } of files) await writeFile(file, config);
      // Without the monitor, with it, with another one beside, and with its other password: what is undone leaves no
      // trace.
      expect(files).toHaveLength(4);
      const args = ["check", "config", "--agent", ...files.map(({ file }) => file)];
      const { status, stderr } = spawnSync("promtool", args, { encoding: "utf8", timeout: 30_000 });
      expect(`${stderr}${status}`).toBe("0");
    });

    test("an agent that is deleted takes all that it owned along, and nothing else", async () => {
      const { bench, operator } = stage();
      const before = await stage().objects();
      await bench.delete(metricsAgents, "default/main");
      const gone = async (): Promise<string[]> => {
        const now = new Set(await stage().objects());
        return before
          .filter((object) => !now.has(object))
          .map((object) => object.split(" ").slice(0, 2).join(" "))
          .toSorted();
      };
      const owned = [
        "Pod default/metrics-main-shard-0-0",
        "Secret default/metrics-main-config-0",
        "Secret default/metrics-main-files-0",
        "Service default/metrics-main",
        "StatefulSet default/metrics-main-shard-0",
      ];
      await expect.poll(gone, patiently).toEqual(owned);
      await expect.poll(() => series('{__name__=~".+"}'), patiently).toEqual([]);
      expect(await gone()).toEqual(owned);

      await operator.stop();
      expect(await operator.exited).toBe("exit code 0");
    });
  },
);

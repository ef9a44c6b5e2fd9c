import { resources, type KubeObject } from "@bowline/kube";
import { programFiles } from "@bowline/packaging";
import { busyboxImage, busyboxRoot, startCluster } from "@bowline/test-cluster";
import { findProgram } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { metricsAgent, metricsInstance, secret } from "./testing/objects.ts";
import { OperatorBench } from "./testing/operator-bench.ts";
import { Receiver } from "./testing/receiver.ts";

/** Debian 12 has this version. */
const version = "v2.42.0";
const image = "localhost/prometheus:1";
const prometheus = await findProgram({ program: "prometheus", debianPackage: "prometheus" });

/** Images, pods and the refresh of mounted Secrets take their time: kubelet looks once a minute. */
const patiently = { timeout: 150_000, interval: 500 };

/** A pod with a metric. */
function application(): KubeObject {
  const script =
    "mkdir -p /tmp/www && echo 'shop_orders_total 42' > /tmp/www/metrics && exec httpd -f -p 8080 -h /tmp/www";
  const command = ["sh", "-c", script];
  const container = { name: "web", image: busyboxImage, imagePullPolicy: "Never", command };
  const metadata = { namespace: "default", name: "web" };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container] } };
}

/** Debian leaves discovery by Kubernetes out of its Prometheus, so the target is named. */
function scrapeConfig(address: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: "monitoring.coreos.com/v1alpha1",
    kind: "ScrapeConfig",
    metadata: { namespace: "default", name: "web" },
    spec: { staticConfigs: [{ targets: [`${address}:8080`] }], ...spec },
  };
}

test.skipIf(prometheus === undefined)(
  "collectors run, write what they scrape, and follow a change without a restart",
  async () => {
    const program = prometheus ?? "";
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const layer = [...(await busyboxRoot()), ...(await programFiles(program, "bin/prometheus"))];
    await cluster.importImage({ name: image, layers: [layer], entrypoint: ["/bin/prometheus"] });
    const receiver = await Receiver.start(program, cluster.hostAddress);
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const bench = await OperatorBench.open({ kubeconfig: cluster.kubeconfigPath });
    onTestFinished(() => bench[Symbol.asyncDispose]());
    await bench.apply(
      application(),
      secret("default/login", { username: "collector", password: "one" }),
      metricsAgent("default/main", {
        version,
        image,
        imagePullPolicy: "Never",
        scrapeInterval: "1s",
      }),
      metricsInstance("default/team", {
        scrapeConfigSelector: {},
        remoteWrite: [
          {
            url: receiver.writeUrl,
            basicAuth: {
              username: { name: "login", key: "username" },
              password: { name: "login", key: "password" },
            },
          },
        ],
      }),
    );
    const podAddress = async (): Promise<string> => {
      const pod = await bench.get<KubeObject & { status?: { podIP?: string } }>(
        resources.pods,
        "default/web",
      );
      return pod?.status?.podIP ?? "";
    };
    await expect.poll(podAddress, patiently).toMatch(/\d/u);
    const address = await podAddress();
    await bench.apply(scrapeConfig(address));
    await expect.poll(() => bench.condition("default/main", "Ready"), patiently).toMatch(/^True/u);
    await expect
      .poll(() => receiver.series("shop_orders_total"), patiently)
      .toMatchObject([{ value: "42", cluster: "default/main", __replica__: "replica-0" }]);

    const pod = await bench.get(resources.pods, "default/metrics-main-shard-0-0");
    await bench.apply(
      scrapeConfig(address, { relabelings: [{ targetLabel: "colour", replacement: "blue" }] }),
    );
    await expect
      .poll(() => receiver.series('shop_orders_total{colour="blue"}'), patiently)
      .toMatchObject([{ value: "42" }]);
    const after = await bench.get(resources.pods, "default/metrics-main-shard-0-0");
    expect(after?.metadata.uid).toBe(pod?.metadata.uid);
  },
  600_000,
);

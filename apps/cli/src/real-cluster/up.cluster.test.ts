import { chmod } from "node:fs/promises";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

import { startCluster, whyNoCluster, type Cluster } from "@bowline/test-cluster";
import { createTempFolder, freePort } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readConfig } from "../connection/config-file.ts";
import { StateFiles } from "../installation/state-files.ts";
import { TestHome } from "../testing/test-home.ts";
import { agentImage } from "./testing/agent-image.ts";

/** Volumes of this machine: the cluster has nothing that makes some. */
const storageClass = "by-hand";

function volume(name: string, path: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "20Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: storageClass,
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path },
    },
  };
}

/** In the place of kube-proxy, which the node has not: an address before the pod of the server. */
async function startRelay(cluster: Cluster, podAddress: () => Promise<string>) {
  const port = await freePort(cluster.hostAddress);
  const relay = createServer((client) => {
    client.on("error", () => client.destroy());
    void relayed(client, podAddress);
  });
  relay.listen(port, cluster.hostAddress);
  await once(relay, "listening");
  return { url: `https://${cluster.hostAddress}:${port}`, stop: () => relay.close() };
}

async function relayed(client: Socket, podAddress: () => Promise<string>): Promise<void> {
  try {
    const server = connect({ host: await podAddress(), port: 7443 }, () => client.pipe(server).pipe(client));
    server.on("error", () => client.destroy());
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  } catch {
    client.destroy();
  }
}

const kinds = [
  "all,pvc,secrets,serviceaccounts,roles,rolebindings,leases,networkpolicies,poddisruptionbudgets,ingresses",
  "clusterroles,clusterrolebindings,customresourcedefinitions,namespaces",
];

describe.skipIf(await whyNoCluster(process.env))("a control plane in a real cluster", () => {
  const stack = new AsyncDisposableStack();
  let [cluster, home]: [Cluster | undefined, TestHome | undefined] = [undefined, undefined];
  const place = (): { readonly cluster: Cluster; readonly home: TestHome } => {
    if (cluster === undefined || home === undefined) throw new Error("The cluster is not there.");
    return { cluster, home };
  };
  const kubectl = async (...args: readonly string[]): Promise<string> => place().cluster.kubectl([...args]);
  const up = (...args: readonly string[]): ReturnType<TestHome["run"]> => {
    const volumes = ["--set", `database.sqlite.storageClassName=${storageClass}`];
    return place().home.run(["up", "--kubeconfig", place().cluster.kubeconfigPath, ...volumes, ...args]);
  };
  const down = (...args: readonly string[]): ReturnType<TestHome["run"]> =>
    place().home.run(["down", ...args]);

  beforeAll(async () => {
    const folder = stack.use(await createTempFolder("up"));
    cluster = stack.use(await startCluster());
    home = stack.use(await TestHome.create());
    await cluster.importImage(await agentImage(join(folder.path, "image")));
    for (const name of ["one", "two"]) {
      const data = stack.use(await createTempFolder(`up-${name}`));
      await chmod(data.path, 0o777);
      await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(volume(name, data.path)) });
    }
  });
  afterAll(() => stack.disposeAsync());

  test("is set up, and commands reach it through the API server", async () => {
    const { code, out, error } = await up("--no-register");
    expect([code, error]).toEqual([0, expect.stringContaining("✓ save")]);
    expect(error).toContain("signed in as admin, through the API server");
    expect(out).toContain("Bowline runs on the cluster");
    const [entry] = (await readConfig({ BOWLINE_CONFIG: place().home.configFile })).contexts();
    expect(entry).toMatchObject({
      name: "bowline",
      kubernetes: { namespace: "bowline-system", service: "bowline" },
    });
    const clusters = await place().home.run(["get", "clusters"]);
    expect([clusters.code, clusters.error]).toEqual([0, "No clusters found.\n"]);
  });

  test("gets an address, and the cluster it runs in becomes one of its fleet", async () => {
    const podAddress = async (): Promise<string> =>
      (
        await kubectl("get", "pod", "bowline-0", "-n", "bowline-system", "-o", "jsonpath={.status.podIP}")
      ).trim();
    const relay = await startRelay(place().cluster, podAddress);
    stack.defer(() => void relay.stop());
    const { hostAddress } = place().cluster;
    const args = [
      "--url",
      relay.url,
      "--set",
      `tls.addresses[0]=${hostAddress}`,
      "--cluster",
      "home",
      "--register",
    ];
    const { code, error } = await up(...args);
    expect([code, error]).toEqual([0, expect.stringContaining("✓ register")]);
    expect(error).toContain(`signed in as admin, at ${relay.url}`);
    const { out } = await place().home.run(["get", "clusters"]);
    expect(out).toMatch(/^home +/mu);
    const pods = await place().home.run(["get", "clusters", "home", "-o", "json"]);
    expect(JSON.parse(pods.out)).toMatchObject({ status: { agent: expect.anything() } });
  });

  test("is set up again without a change, and nothing is made twice", async () => {
    const before = await kubectl("get", kinds[0] ?? "", "-n", "bowline-system", "-o", "name");
    const { code, error } = await place().home.run(["up", "--name", "bowline"]);
    expect([code, error]).toEqual([0, expect.stringContaining("each phase makes sure of its part")]);
    expect(await kubectl("get", kinds[0] ?? "", "-n", "bowline-system", "-o", "name")).toBe(before);
  });

  test("names the image that cannot be pulled, and leaves the configuration alone", async () => {
    const before = await readConfig({ BOWLINE_CONFIG: place().home.configFile });
    const other = ["--name", "other", "-n", "other", "--no-register"];
    const { code, error } = await up(...other, "--image", "registry.example.test/none:1");
    expect([code, error]).toEqual([1, expect.stringContaining("registry.example.test/none:1")]);
    expect(error).toMatch(/It stopped in the phase wait[^]*Take it away: bowline down other/u);
    expect(String(await readConfig({ BOWLINE_CONFIG: place().home.configFile }))).toBe(String(before));
    const gone = await down("other", "--yes", "--delete-data");
    expect([gone.code, gone.out]).toEqual([0, '"other" is gone.\n']);
    expect((await kubectl("get", "namespaces", "-o", "name")).includes("namespace/other")).toBe(false);
  });

  test("goes with everything it brought, and is gone the second time", async () => {
    const { code, out, error } = await down("bowline", "--yes", "--delete-data");
    expect([code, out, error]).toEqual([0, '"bowline" is gone.\n', ""]);
    for (const kind of kinds) {
      const left = await kubectl("get", kind, "-A", "-l", "bowline.dev/installation", "-o", "name");
      expect(left.trim()).toBe("");
    }
    expect(await kubectl("get", "pvc,pods", "-A", "-o", "name")).toBe("");
    expect(await kubectl("get", "namespaces", "-o", "name")).not.toContain("bowline-system");
    expect((await readConfig({ BOWLINE_CONFIG: place().home.configFile })).contexts()).toEqual([]);
    expect(await new StateFiles({ HOME: place().home.folder }).list()).toEqual([]);
    expect((await down("bowline", "--yes")).out).toBe('No "bowline" is there to take away.\n');
  });
});

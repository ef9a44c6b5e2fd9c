/** A Cluster object that becomes a running Kubernetes, by the server alone, and nothing again. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { findClusterProcesses, whyNoCluster } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { nothing, whatIsLeft } from "./testing/cluster-traces.ts";
import { openProviderStage, type ProviderStage } from "./testing/provider-stage.ts";
import { clusterName } from "./testing/people.ts";

describe.skipIf(await whyNoCluster(process.env))("a cluster that Bowline makes", () => {
  let opened: ProviderStage | undefined;
  const stage = (): ProviderStage => {
    if (opened === undefined) throw new Error("The stage is not open.");
    return opened;
  };
  beforeAll(async () => {
    opened = await openProviderStage();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test("goes on after the server was killed in the middle, and its agent joins by itself", async () => {
    const { bowline, create, states, programs, made, traces } = stage();
    await create();
    // The keeper runs, and Kubernetes does not yet.
    await expect.poll(programs).toContain("etcd");
    expect((await made()).status.provisioning?.state).toBe("Creating");
    await stage().replaceServer();
    await bowline(["wait", `cluster/${clusterName}`, "--for", "condition=Ready", "--timeout", "170s"]).catch(
      async (error: unknown) => {
        throw stage().failure(`left its cluster like this: ${JSON.stringify((await made()).status)}`, error);
      },
    );
    await expect.poll(states).toEqual(["Pending", "Creating", "Joining", "Ready"]);
    const { status } = await made();
    expect(Object.fromEntries(status.conditions.map((each) => [each.type, each.status]))).toMatchObject({
      Provisioned: "True",
      AgentConnected: "True",
      Ready: "True",
      Progress: "False",
    });
    expect(status.provisioning?.resources).toBe(1);
    const running = [...(await traces()).processes.values()];
    const one = ["provider-program", "etcd", "kube-apiserver", "kubelet", "containerd", "reaper-main"];
    expect(running.filter((name) => one.includes(name)).toSorted()).toEqual(one.toSorted());
    const { out } = await bowline(["audit", "--verb", "join", "-o", "json"]);
    expect(JSON.parse(out)).toHaveLength(1);
  });

  test("has its agent as a real pod, and is reached by kubectl through Bowline", async () => {
    const kubectl = await stage().operator();
    expect(await kubectl.run("get", "nodes", "-o", "name")).toBe("node/node-1\n");
    const phase = "jsonpath={.items[*].status.phase}";
    expect(await kubectl.run("get", "pods", "-n", "bowline-system", "-o", phase)).toBe("Running");
    expect(await kubectl.run("create", "configmap", "made", "--from-literal=by=bowline")).toBe(
      "configmap/made created\n",
    );
  });

  test("leaves nothing when it is deleted, though the server is killed on the way", async () => {
    const { bowline, clusters, states, traces, replaceServer } = stage();
    const before = await traces();
    // Mounts are never seen from here: they are in the node's namespace, and go with its processes.
    const unseen = Object.entries(await whatIsLeft(before)).filter(([, all]) => all.length === 0);
    expect(unseen.map(([what]) => what)).toEqual(["mounts"]);
    await bowline(["delete", `cluster/${clusterName}`, "--cascade", "--yes", "--no-wait"]);
    await expect.poll(() => states().at(-1)).toBe("Deleting");
    await replaceServer();
    await untilDeleted(stage());
    expect(await whatIsLeft(before)).toEqual(nothing);
    expect(await readdir(clusters)).toEqual([]);
  });

  test("that is deleted before it is there leaves nothing either", async () => {
    const { bowline, clusters, create, made, programs } = stage();
    await create();
    await expect.poll(programs).toContain("kube-apiserver");
    expect((await made()).status.provisioning?.state).toBe("Creating");
    const folder = join(clusters, (await made()).metadata.id);
    await bowline(["delete", `cluster/${clusterName}`, "--yes", "--no-wait"]);
    await untilDeleted(stage());
    expect(await findClusterProcesses(folder)).toEqual([]);
    expect(await readdir(clusters)).toEqual([]);
  });
});

async function untilDeleted({ bowline }: ProviderStage): Promise<void> {
  await bowline(["wait", `cluster/${clusterName}`, "--for", "delete", "--timeout", "120s"]);
}

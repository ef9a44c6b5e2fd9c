import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "./api-server.ts";
import { whyNoControlPlane } from "./cluster-obstacles.ts";
import { startControlPlane } from "./control-plane.ts";

describe.skipIf(await whyNoControlPlane(process.env))("a control plane", () => {
  let cluster: ApiServer;
  beforeAll(async () => {
    cluster = await startControlPlane();
  });
  afterAll(() => cluster?.stop());

  async function kubectl(...args: string[]): Promise<string> {
    return cluster.kubectl(args);
  }

  it("makes a ReplicaSet and Pods of a Deployment", async () => {
    await kubectl("create", "deployment", "web", "--image=none", "--replicas=2");
    await expect
      .poll(() => kubectl("get", "replicasets", "-o", "jsonpath={.items[*].status.replicas}"))
      .toBe("2");
    const owners = await kubectl(
      "get",
      "pods",
      "-o",
      "jsonpath={.items[*].metadata.ownerReferences[*].kind}",
    );
    expect(owners).toBe("ReplicaSet ReplicaSet");
  });

  it("has a scheduler, which finds no node", async () => {
    await expect
      .poll(() =>
        kubectl("get", "events", "-o", "jsonpath={.items[?(@.reason=='FailedScheduling')].message}"),
      )
      .toContain("no nodes available");
  });

  it("collects what a deleted Deployment owned", async () => {
    await kubectl("delete", "deployment", "web", "--wait=false");
    await expect.poll(() => kubectl("get", "pods", "-o", "name")).toBe("");
  });

  it("shows the lines of every process", () => {
    const names = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];
    expect(Object.keys(cluster.logs()).sort()).toEqual(names);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { DrivenCluster } from "./testing/driven-cluster.ts";
import { eksSpec, openEksWorld, type EksWorld } from "./testing/eks-stage.ts";

const evictions = { code: "PodEvictionFailure", message: "Reached max retries while trying to evict pods." };

let world: EksWorld;
let cluster: DrivenCluster;

beforeEach(async () => {
  world = await openEksWorld();
  cluster = new DrivenCluster(world);
  await cluster.made();
});
afterEach(() => world[Symbol.asyncDispose]());

const eks = () => eksSpec.eks ?? { nodeGroups: [] };
const newer = { ...eksSpec, eks: { ...eks(), kubernetesVersion: "1.33" } };
const updates = () => world.aws.world.updates.all;
const fail = () => (world.aws.world.settings.updateFailure = evictions);
const callsOf = (action: string) => world.aws.calls.filter((call) => call === action).length;

describe("an update that fails", () => {
  test("of a control plane is told in the words of AWS, and tried again by another token", async () => {
    fail();
    cluster.spec = newer;
    const { message } = await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    expect(message).toContain("The control plane becomes Kubernetes 1.33");
    expect(message).toContain("PodEvictionFailure: Reached max retries while trying to evict pods.");
    await cluster.made();
    expect(callsOf("eks:UpdateClusterVersion")).toBe(2);
  });

  test("of nodes that cannot be drained is told, and stays so until the next try", async () => {
    cluster.spec = newer;
    await cluster.until({ message: "The control plane becomes Kubernetes 1.33." });
    fail();
    const { message } = await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    expect(message).toMatch(/The nodes .* become Kubernetes 1\.33.*PodEvictionFailure/u);
    const tries = updates().length;
    for (let round = 0; round < 5; round += 1) {
      await world.pass(60_000);
      expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "UpdateFailed" });
    }
    expect(updates()).toHaveLength(tries);
    fail();
    // While it is tried again, the last failure is still told.
    const { message: again } = await cluster.until({ state: "updating", reason: "Updating" });
    expect(again).toContain("PodEvictionFailure");
    await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    await cluster.made();
    expect(new Set(updates().map(({ clientToken }) => clientToken)).size).toBe(updates().length);
    expect(callsOf("eks:UpdateNodegroupVersion")).toBe(3);
  });

  test("is told also when nobody heard that it was begun", async () => {
    world.aws.faults.plan({ action: "eks:UpdateClusterVersion", fault: { kind: "lose-answer" } });
    fail();
    cluster.spec = newer;
    await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    expect(updates()).toHaveLength(1);
    await cluster.made();
  });

  test("of settings is told, and what is wanted instead is tried at once", async () => {
    const [group] = eks().nodeGroups;
    if (group === undefined) throw new Error("no group");
    const sized = (minSize: number) => ({
      ...eksSpec,
      eks: { ...eks(), nodeGroups: [{ ...group, minSize, maxSize: 5 }] },
    });
    fail();
    cluster.spec = sized(4);
    const { message } = await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    expect(message).toContain("PodEvictionFailure");
    cluster.spec = sized(2);
    expect(await cluster.round()).toMatchObject({ state: "updating" });
    await cluster.made();
    expect(world.aws.world.nodegroups.all[0]?.scaling).toMatchObject({ minSize: 2, maxSize: 5 });
  });

  test("keeps nobody from deleting the cluster", async () => {
    fail();
    cluster.spec = newer;
    await cluster.until({ state: "blocked", reason: "UpdateFailed" });
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

test("settings are changed to and fro", async () => {
  const [group] = eks().nodeGroups;
  if (group === undefined) throw new Error("no group");
  for (const minSize of [2, 1, 2, 1]) {
    cluster.spec = { ...eksSpec, eks: { ...eks(), nodeGroups: [{ ...group, minSize }] } };
    await cluster.made();
    expect(world.aws.world.nodegroups.all[0]?.scaling.minSize).toBe(minSize);
  }
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { groupNameOf } from "./nodegroup-step.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { eksSpec, openEksWorld, testName, type EksWorld } from "./testing/eks-stage.ts";
import { changesOf, madeBy, Stranger } from "./testing/stranger.ts";

let world: EksWorld;
let cluster: DrivenCluster;
let stranger: Stranger;
let removals: number;

beforeEach(async () => {
  removals = 0;
  const removeWorkloads = () => {
    removals += 1;
    return Promise.resolve("done" as const);
  };
  world = await openEksWorld({ provider: { removeWorkloads, deletesVolumes: true } });
  cluster = new DrivenCluster(world);
  stranger = new Stranger(world);
});
afterEach(async () => {
  await stranger[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const [group] = eksSpec.eks?.nodeGroups ?? [];
if (group === undefined) throw new Error("The spec has no nodes.");
const groupName = groupNameOf(group);

interface TakenName {
  readonly what: string;
  readonly name: string;
  readonly take: () => Promise<unknown>;
  readonly giveBack: () => Promise<void>;
}

const controlPlane: TakenName = {
  what: "control plane",
  name: testName,
  take: async () => stranger.controlPlane(testName, await stranger.network()),
  giveBack: () => stranger.removeControlPlane(testName),
};
const roles = ["cluster", "node"].map((kind): TakenName => ({
  what: `role ${kind}`,
  name: `${testName}-${kind}`,
  take: () => stranger.role(`${testName}-${kind}`),
  giveBack: () => stranger.removeRole(`${testName}-${kind}`),
}));
const nodeGroup: TakenName = {
  what: "group of nodes",
  name: groupName,
  take: () => stranger.nodeGroup(testName, groupName, world.aws.world.clusters.get(testName).subnetIds),
  giveBack: () => stranger.removeNodeGroup(testName, groupName),
};

async function someRounds(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await world.pass(60_000);
    await cluster.round();
  }
}

async function expectTaken({ name }: TakenName): Promise<void> {
  const { message } = await cluster.until({ state: "blocked", reason: "NameTaken" });
  expect(message).toContain(` named ${name} already`);
  expect(message).toMatch(/Take it away, or give the (?:cluster|nodes main) another name\./u);
}

describe.each([controlPlane, ...roles])("the name of the $what is taken", (taken) => {
  test("before anything is made: nothing is, until it is free", async () => {
    const theirs = await madeBy(world.aws, taken.take);
    const before = theirs();
    const changes = changesOf(world.aws);
    await expectTaken(taken);
    await someRounds();
    expect(cluster.told.at(-1)).toMatchObject({ state: "blocked", reason: "NameTaken" });
    expect(changes()).toEqual([]);
    await cluster.deleted();
    expect(changes()).toEqual([]);
    expect(theirs()).toEqual(before);
    await taken.giveBack();
    await cluster.made();
    expect(world.everything()).toMatchObject({ clusters: 1, nodegroups: 1, accessEntries: 1 });
    await cluster.deleted();
    expect(await world.inventory()).not.toHaveProperty("clusters");
  });

  test("in the middle of a creation: it goes on when the name is free", async () => {
    await cluster.round();
    const theirs = await madeBy(world.aws, taken.take);
    const before = theirs();
    await expectTaken(taken);
    await someRounds();
    expect(theirs()).toEqual(before);
    await taken.giveBack();
    await cluster.made();
    expect(await world.inventory()).toMatchObject({
      clusters: 1,
      nodegroups: 1,
      natGateways: 1,
      accessEntries: 1,
    });
  });

  test("in the middle of a creation: a deletion takes what is ours, and leaves theirs", async () => {
    await cluster.round();
    const theirs = await madeBy(world.aws, taken.take);
    const before = theirs();
    await expectTaken(taken);
    await cluster.deleted();
    expect(theirs()).toEqual(before);
    expect(world.aws.world.natGateways.all.filter(({ goneAtMs }) => goneAtMs === undefined)).toEqual([]);
    expect(removals).toBe(0);
  });
});

describe("the name of a group of nodes is taken", () => {
  beforeEach(async () => {
    await cluster.until({ reason: "CreatingControlPlane" });
    await world.pass(world.aws.world.settings.times.clusterMs);
  });

  test("it is refused, and made when the name is free", async () => {
    const theirs = await madeBy(world.aws, nodeGroup.take);
    const before = theirs();
    await expectTaken(nodeGroup);
    const changes = changesOf(world.aws);
    await someRounds();
    expect(changes()).toEqual([]);
    expect(theirs()).toEqual(before);
    await nodeGroup.giveBack();
    await cluster.made();
    expect(world.aws.world.nodegroups.all.map(({ tags }) => tags["owner"])).toEqual([undefined]);
  });

  test("it is refused, and another name does", async () => {
    const theirs = await madeBy(world.aws, nodeGroup.take);
    const before = theirs();
    await expectTaken(nodeGroup);
    cluster.spec = { ...eksSpec, eks: { ...eksSpec.eks, nodeGroups: [{ ...group, name: "other" }] } };
    await cluster.made();
    expect(theirs()).toEqual(before);
  });

  test("a deletion leaves it, and says that it is in the way", async () => {
    const theirs = await madeBy(world.aws, nodeGroup.take);
    const before = theirs();
    await expectTaken(nodeGroup);
    const { message } = await cluster.until({ state: "blocked", reason: "LeftOver" }, "absent");
    expect(message).toContain("Cluster has nodegroups attached");
    expect(theirs()).toEqual(before);
    await nodeGroup.giveBack();
    await cluster.deleted();
  });
});

describe("ours was deleted by hand, and another one has its name:", () => {
  async function expectLost(): Promise<void> {
    const { message } = await cluster.until({ state: "lost", reason: "Lost" });
    expect(message).toContain(`${testName} was deleted in AWS`);
    expect(message).toContain("Another one has the name now");
    await someRounds();
    expect(cluster.told.at(-1)).toEqual(cluster.told.find(({ state }) => state === "lost"));
  }

  test.each([
    ["told as lost before it is deleted", expectLost],
    ["deleted before anybody has looked", () => Promise.resolve()],
  ])("a control plane, %s", async (_, look) => {
    await cluster.made();
    await stranger.removeControlPlane(testName);
    const theirs = await madeBy(world.aws, controlPlane.take);
    const before = theirs();
    const changes = changesOf(world.aws);
    await look();
    const access = world.provider().credentials(cluster.wanted);
    await expect(access).rejects.toMatchObject({ code: "AlreadyExists", details: { reason: "NameTaken" } });
    await expect(world.provider().kubeconfig(cluster.wanted, { token: "t" })).rejects.toThrow("named");
    while (!(await world.provider().revokeCredentials(cluster.wanted))) await world.pass(10_000);
    expect(changes()).toEqual([]);
    await cluster.deleted();
    expect(theirs()).toEqual(before);
    expect(removals).toBe(0);
    expect(changes().filter((call) => call.startsWith("eks:"))).toEqual([]);
    expect(world.aws.world.vpcs.all).toHaveLength(1);
  });

  test("a control plane in the very network that was made for ours", async () => {
    await cluster.made();
    const { subnetIds } = world.aws.world.clusters.get(testName);
    await stranger.removeControlPlane(testName);
    const theirs = await madeBy(world.aws, () => stranger.controlPlane(testName, subnetIds));
    const before = theirs();
    const { message } = await cluster.until({ state: "blocked", reason: "NetworkInUse" }, "absent");
    expect(message).toContain(`control plane ${testName}`);
    await cluster.round("absent");
    expect(theirs()).toEqual(before);
    expect(world.everything()).toMatchObject({ vpcs: 1, subnets: 4, natGateways: 1, routeTables: 2 });
    await stranger.removeControlPlane(testName);
    await cluster.deleted();
    expect(await world.inventory()).not.toHaveProperty("vpcs");
  });

  test("a control plane in the network that ours was given", async () => {
    const subnetIds = await stranger.network();
    const vpcId = world.aws.world.vpcs.all[0]?.id ?? "";
    const network = { vpcId, subnetIds, highAvailability: false, privateEndpoint: false };
    cluster.spec = { ...eksSpec, eks: { ...eksSpec.eks, nodeGroups: [group], network } };
    await cluster.made();
    await stranger.removeControlPlane(testName);
    const theirs = await madeBy(world.aws, () => stranger.controlPlane(testName, subnetIds));
    const before = theirs();
    await cluster.deleted();
    expect(theirs()).toEqual(before);
  });

  test("a control plane with an entry like that which was used in ours", async () => {
    await cluster.made();
    const entry = { clusterName: testName, principalArn: "arn:aws:iam::111122223333:user/bowline" };
    await stranger.send("eks:DeleteAccessEntry", entry);
    await stranger.send("eks:CreateAccessEntry", entry);
    await cluster.made();
    await world.provider().credentials(cluster.wanted);
    await stranger.removeControlPlane(testName);
    const theirs = await madeBy(world.aws, controlPlane.take);
    const before = theirs();
    await cluster.deleted();
    expect(theirs()).toEqual(before);
  });

  test("a group of nodes", async () => {
    await cluster.made();
    await stranger.removeNodeGroup(testName, groupName);
    const theirs = await madeBy(world.aws, nodeGroup.take);
    const before = theirs();
    await expectTaken(nodeGroup);
    const changes = changesOf(world.aws);
    await someRounds();
    expect(changes()).toEqual([]);
    await cluster.until({ state: "blocked", reason: "LeftOver" }, "absent");
    expect(theirs()).toEqual(before);
    await nodeGroup.giveBack();
    await cluster.deleted();
  });
});

test("networks that are called as ours are left beside it", async () => {
  const names = ["vpc", "subnet-private-1"].map((step) => `${testName}-${step}`);
  const theirs = await madeBy(world.aws, async () => {
    for (const name of names) await stranger.network(name);
  });
  const before = theirs();
  await cluster.made();
  expect(world.aws.world.vpcs.all).toHaveLength(3);
  expect(theirs()).toEqual(before);
  await cluster.deleted();
  expect(world.aws.world.vpcs.all).toHaveLength(2);
  expect(theirs()).toEqual(before);
});

import { addForgottenInterface, addLoadBalancer, addVolume } from "@bowline/test-aws";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { ProviderAnswer } from "../provider.ts";
import type { AwsApi, OperationName } from "./aws/aws-api.ts";
import { SdkApi } from "./aws/sdk-api.ts";
import { eksPolicy } from "./policy/eks-policy.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, testClusterId, testName, type EksWorld } from "./testing/eks-stage.ts";

const sdk = new SdkApi();
/** What others do right before a call is made for the first time. */
const meanwhile = new Map<OperationName, () => void>();
const api: AwsApi = {
  send: (target, name, input) => {
    const others = meanwhile.get(name);
    meanwhile.delete(name);
    others?.();
    return sdk.send(target, name, input);
  },
  token: (target, name) => sdk.token(target, name),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

let world: EksWorld;
let cluster: DrivenCluster;
/** What Kubernetes takes away in the cloud when it is asked to let go of all Services. */
let takenAwayByKubernetes: (() => void) | undefined;
let asked: number;

/** With the rights that the generated policy gives, and no others. */
async function open(deletesVolumes = false): Promise<void> {
  world = await openEksWorld({
    policies: [eksPolicy({ name: "web", id: testClusterId, deletesVolumes })],
    provider: {
      api,
      deletesVolumes,
      removeWorkloads: () => {
        asked += 1;
        takenAwayByKubernetes?.();
        return Promise.resolve("done");
      },
    },
  });
  cluster = new DrivenCluster(world);
  await cluster.made();
}

beforeEach(async () => {
  asked = 0;
  takenAwayByKubernetes = undefined;
  meanwhile.clear();
  await open();
});
afterEach(() => world[Symbol.asyncDispose]());

const going = (fields: Partial<ProviderAnswer>): Promise<ProviderAnswer> => cluster.until(fields, "absent");

/** All that is in the account, by its type. */
function left(): Record<string, unknown> {
  const { interfaces, securityGroups, volumes } = world.aws.world;
  const ids = [...interfaces.all, ...securityGroups.all, ...volumes.all].map(({ id }) => id);
  return { ...world.everything(), ids };
}
const nothing = { ids: [] };

/** Of somebody else, in the network of the cluster. */
function addInterface(fields: Partial<Parameters<EksWorld["aws"]["world"]["interfaces"]["add"]>[0]>) {
  const things = world.aws.world;
  const id = things.newId("eni");
  const [subnet] = things.subnets.all;
  things.interfaces.add({
    ...things.thing(id, things.arn("ec2", `network-interface/${id}`)),
    vpcId: subnet?.vpcId ?? "",
    subnetId: subnet?.id ?? "",
    description: "",
    interfaceType: "interface",
    groupIds: [],
    status: "in-use",
    ...fields,
  });
  return { id, remove: () => things.interfaces.remove(id) };
}

/** Of somebody else. */
function addGroup(vpcId: string, refersTo: readonly string[] = []) {
  const things = world.aws.world;
  const id = things.newId("sg");
  const thing = things.thing(id, things.arn("ec2", `security-group/${id}`));
  return things.securityGroups.add({ ...thing, vpcId, name: "theirs", refersTo });
}

describe.each([
  ["classic", "a1b2"],
  ["network", "net/web/50dc6c495c0c9188"],
])("a %s load balancer that is made in the middle of a deletion", (_, name) => {
  test("while the nodes go has Kubernetes asked once more to take it away", async () => {
    await going({ reason: "DeletingCluster" });
    expect(asked).toBe(1);
    takenAwayByKubernetes = addLoadBalancer(world.aws.world, testName, name);
    const answer = await cluster.round("absent");
    expect(answer).toMatchObject({ state: "deleting", reason: "WaitingForLoadBalancers" });
    expect(answer.message).toContain(name);
    expect(asked).toBe(2);
    await cluster.deleted();
    expect(asked).toBe(2);
    expect(left()).toEqual(nothing);
  });

  test("right before the control plane goes is named, and its group goes when it is gone", async () => {
    let takeAway = (): void => {};
    meanwhile.set("eks:DeleteCluster", () => {
      takeAway = addLoadBalancer(world.aws.world, testName, name);
    });
    const answer = await going({ state: "blocked" });
    expect(answer.reason).toBe("WaitingForLoadBalancers");
    expect(answer.message).toContain(`load balancer ${name}`);
    expect(answer.message).toContain("delete them in AWS");
    expect(world.everything()).toMatchObject({ vpcs: 1, subnets: 4, natGateways: 1 });
    await world.pass(60_000);
    expect(await cluster.round("absent")).toEqual(answer);
    takeAway();
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });

  test("between the last look and the subnets is named by the very round that it holds up", async () => {
    let takeAway = (): void => {};
    meanwhile.set("ec2:DeleteSubnet", () => {
      takeAway = addLoadBalancer(world.aws.world, testName, name);
    });
    const answer = await going({ state: "blocked" });
    expect(answer.message).toContain(`load balancer ${name}`);
    expect(cluster.told.filter(({ message }) => message?.includes("dependencies"))).toEqual([]);
    takeAway();
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });

  test("and is gone again before the VPC goes leaves a group, which goes too", async () => {
    meanwhile.set("ec2:DeleteVpc", () => addLoadBalancer(world.aws.world, testName, name)());
    await cluster.deleted();
    const held = cluster.told.filter(({ message }) => message?.includes("security group sg-"));
    expect(held).toEqual([expect.objectContaining({ state: "deleting", reason: "DeletingCluster" })]);
    expect(left()).toEqual(nothing);
  });
});

describe("an interface in the network", () => {
  test.each([
    ["a database", "RDSNetworkInterface", { instanceOwnerId: "amazon-rds" }, "attached by amazon-rds"],
    ["a machine", "", { instanceId: "i-0123456789abcdef0" }, "attached to i-0123456789abcdef0"],
  ])("of %s of somebody else is named with what has it, and waited for", async (_, description, to, told) => {
    const theirs = addInterface({ description, attachedTo: to });
    const answer = await going({ state: "blocked" });
    expect(answer.reason).toBe("NetworkInUse");
    const what = [description, told].filter(Boolean).join(", ");
    expect(answer.message).toContain(`interface ${theirs.id} (${what})`);
    expect(world.everything()).toMatchObject({ subnets: 4, natGateways: 1 });
    theirs.remove();
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });

  test("that somebody else has made and does not use is named, and not deleted", async () => {
    const theirs = addInterface({ status: "available", description: "kept for later" });
    const answer = await going({ state: "blocked" });
    expect(answer.message).toContain(`interface ${theirs.id} (kept for later, available)`);
    await world.pass(60_000);
    await cluster.round("absent");
    expect(world.aws.world.interfaces.peek(theirs.id)).toBeDefined();
    expect(world.aws.calls).not.toContain("ec2:DeleteNetworkInterface");
    theirs.remove();
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });

  test("that the plugin of the nodes still uses is waited for, and goes when it is free", async () => {
    const id = addForgottenInterface(world.aws.world, testName);
    const last = world.aws.world.interfaces.get(id);
    last.status = "in-use";
    await going({
      message: `These hold the network of the cluster: interface ${last.id} (${last.description}, in-use).`,
    });
    expect(cluster.told.at(-1)).toMatchObject({ state: "deleting", reason: "DeletingCluster" });
    last.status = "available";
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });
});

test("an interface of the plugin of the nodes that has no tag of the cluster goes with it", async () => {
  await world[Symbol.asyncDispose]();
  // Nothing allows that by a tag.
  world = await openEksWorld({ provider: { api } });
  cluster = new DrivenCluster(world);
  await cluster.made();
  const ours = addInterface({ status: "available", description: "aws-K8S-i-0123456789abcdef0" });
  const another = { "cluster.k8s.amazonaws.com/name": "another" };
  const theirs = addInterface({
    status: "available",
    description: "aws-K8S-i-fedcba98765432100",
    tags: another,
  });
  await going({ state: "blocked", reason: "NetworkInUse" });
  const { interfaces } = world.aws.world;
  expect([ours, theirs].filter(({ id }) => interfaces.peek(id) !== undefined)).toEqual([theirs]);
  theirs.remove();
  await cluster.deleted();
  expect(left()).toEqual(nothing);
});

describe("a volume of a claim", () => {
  test("stays where volumes are kept, in use or not, and is named until somebody has taken it away", async () => {
    const volume = addVolume(world.aws.world, testName);
    for (const isAttached of [true, false]) {
      volume.attach(isAttached);
      const answer = await going({ state: "blocked" });
      expect(answer).toMatchObject({ reason: "LeftOver", leftOver: [volume.arn] });
      await world.pass(60_000);
    }
    expect(world.aws.calls).not.toContain("ec2:DeleteVolume");
    volume.remove();
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });

  test("goes where volumes are deleted, when nothing uses it any more; that of another cluster stays", async () => {
    await world[Symbol.asyncDispose]();
    await open(true);
    addVolume(world.aws.world, testName);
    const used = addVolume(world.aws.world, testName);
    used.attach(true);
    const theirs = addVolume(world.aws.world, "another");
    const answer = await going({ state: "blocked" });
    expect(answer).toMatchObject({ reason: "LeftOver", leftOver: [used.arn] });
    used.attach(false);
    await cluster.deleted();
    expect(world.aws.world.volumes.all.map(({ arn }) => arn)).toEqual([theirs.arn]);
  });
});

describe("a security group of somebody else", () => {
  test("whose rules refer to one of the cluster is named, and that one goes when they do not any more", async () => {
    addLoadBalancer(world.aws.world, testName, "a1b2")();
    const ours = world.aws.world.securityGroups.all.find(({ name }) => name === "k8s-elb-a1b2");
    const theirs = addGroup("vpc-another", [ours?.id ?? ""]);
    const answer = await going({ state: "blocked" });
    expect(answer.reason).toBe("NetworkInUse");
    expect(answer.message).toContain(
      `security group ${ours?.id} (k8s-elb-a1b2), to which rules of ${theirs.id} (theirs) refer`,
    );
    theirs.refersTo = [];
    await cluster.deleted();
    expect(left()).toEqual({ ids: [theirs.id] });
  });

  test("in the VPC is named with whatever else is in it, and only the VPC waits", async () => {
    const { vpcs, subnets } = world.aws.world;
    const [vpc] = vpcs.all;
    const theirs = addGroup(vpc?.id ?? "");
    const id = world.aws.world.newId("subnet");
    const thing = world.aws.world.thing(id, world.aws.world.arn("ec2", `subnet/${id}`));
    subnets.add({ ...thing, vpcId: theirs.vpcId, cidr: "10.0.240.0/24", zone: "eu-west-1a" });
    const answer = await going({ state: "blocked" });
    expect(answer.reason).toBe("NetworkInUse");
    expect(answer.message).toContain(`subnet ${id}, security group ${theirs.id} (theirs)`);
    expect(left()).toEqual({ vpcs: 1, subnets: 1, ids: [theirs.id] });
    world.aws.world.securityGroups.remove(theirs.id);
    subnets.remove(id);
    await cluster.deleted();
    expect(left()).toEqual(nothing);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { ProviderAnswer } from "../provider.ts";
import { groupNameOf } from "./nodegroup-step.ts";
import { eksPolicy } from "./policy/eks-policy.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import {
  eksSpec,
  openEksWorld,
  testClusterId,
  testKey,
  testName,
  type EksWorld,
} from "./testing/eks-stage.ts";
import { changesOf, madeBy, Stranger } from "./testing/stranger.ts";

let world: EksWorld;
let cluster: DrivenCluster;
let person: Stranger;

beforeEach(async () => {
  // With no more rights than the guide gives it.
  world = await openEksWorld({ policies: [eksPolicy({ name: "web", id: testClusterId })] });
  cluster = new DrivenCluster(world);
  person = new Stranger(world);
});
afterEach(async () => {
  await person[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const [group] = eksSpec.eks?.nodeGroups ?? [];
if (group === undefined) throw new Error("The spec has no nodes.");
const groupName = groupNameOf(group);
const things = () => world.aws.world;
const principalArn = "arn:aws:iam::111122223333:user/bowline";
const entry = { clusterName: testName, principalArn };

/** The thing of a step, by the name that it has in AWS. */
function idNamed(step: string): string {
  const all = things().taggedThings.flatMap(({ things: some }) => some);
  const found = all.findLast(({ tags }) => tags["Name"] === `${testName}-${step}`);
  if (found === undefined) throw new Error(`There is no ${step}.`);
  return found.id;
}

const tableOf = (step: string) => things().routeTables.get(idNamed(step));

async function removeGateway(): Promise<void> {
  await person.send("ec2:DeleteNatGateway", { NatGatewayId: idNamed("nat-gateway-1") });
  await world.pass(things().settings.times.natGatewayGoneMs);
}

const detach = () =>
  person.send("ec2:DetachInternetGateway", {
    InternetGatewayId: idNamed("internet-gateway"),
    VpcId: idNamed("vpc"),
  });

async function disassociate(step: string): Promise<void> {
  for (const { id } of tableOf(step).associations) {
    await person.send("ec2:DisassociateRouteTable", { AssociationId: id });
  }
}

const removeTable = (step: string) => person.send("ec2:DeleteRouteTable", { RouteTableId: idNamed(step) });
const removeSubnet = (step: string) => person.send("ec2:DeleteSubnet", { SubnetId: idNamed(step) });

/** Not every subnet has something in it: a control plane has its interfaces in some, nodes are where they are. */
function empty(step: string): void {
  const subnetId = idNamed(step);
  for (const each of things().interfaces.all) {
    if (each.subnetId === subnetId) things().interfaces.remove(each.id);
  }
}

interface TakenAway {
  readonly what: string;
  /** The call by which the provider makes it. */
  readonly made: string;
  /** What AWS refuses while other things hold it. */
  readonly refused?: readonly [remove: () => Promise<unknown>, code: string];
  readonly remove: () => unknown;
  /** How often that call is made again. */
  readonly again?: number;
  readonly told?: Pick<ProviderAnswer, "state" | "reason"> & { readonly says: RegExp };
}

const networkLost = (says: RegExp) => ({ state: "blocked", reason: "NetworkLost", says }) as const;

const table: readonly TakenAway[] = [
  {
    what: "the VPC",
    made: "ec2:CreateVpc",
    refused: [() => person.send("ec2:DeleteVpc", { VpcId: idNamed("vpc") }), "DependencyViolation"],
    // Nobody can as long as there is a control plane.
    remove: () => {
      things().internetGateways.get(idNamed("internet-gateway")).vpcId = undefined;
      things().vpcs.remove(idNamed("vpc"));
    },
    told: networkLost(/: the VPC \(vpc-\w+\)\./u),
  },
  {
    what: "DNS names of the VPC",
    made: "ec2:ModifyVpcAttribute",
    remove: () =>
      person.send("ec2:ModifyVpcAttribute", {
        VpcId: idNamed("vpc"),
        EnableDnsHostnames: { Value: false },
      }),
    again: 1,
  },
  ...["public-2", "private-1"].map((kind) => ({
    what: `the subnet ${kind}`,
    made: "ec2:CreateSubnet",
    refused: [() => removeSubnet(`subnet-${kind}`), "DependencyViolation"] as const,
    remove: async () => {
      empty(`subnet-${kind}`);
      await removeSubnet(`subnet-${kind}`);
    },
    told: networkLost(/: the (?:public subnet 2|private subnet 1) \(subnet-\w+\)\./u),
  })),
  {
    what: "the internet gateway, with the NAT gateway that holds it",
    made: "ec2:CreateInternetGateway",
    refused: [detach, "DependencyViolation"],
    remove: async () => {
      await removeGateway();
      await detach();
      const InternetGatewayId = idNamed("internet-gateway");
      await person.send("ec2:DeleteInternetGateway", { InternetGatewayId });
    },
    again: 1,
  },
  {
    what: "the internet gateway from its VPC",
    made: "ec2:AttachInternetGateway",
    refused: [detach, "DependencyViolation"],
    remove: async () => {
      await removeGateway();
      await detach();
    },
    again: 1,
  },
  {
    what: "the address, with the NAT gateway that holds it",
    made: "ec2:AllocateAddress",
    refused: [
      () => person.send("ec2:ReleaseAddress", { AllocationId: idNamed("address-1") }),
      "InvalidIPAddress.InUse",
    ],
    remove: async () => {
      await removeGateway();
      await person.send("ec2:ReleaseAddress", { AllocationId: idNamed("address-1") });
    },
    again: 1,
  },
  { what: "the NAT gateway", made: "ec2:CreateNatGateway", remove: removeGateway, again: 1 },
  ...["routes-public", "routes-private-1"].flatMap((step): TakenAway[] => [
    {
      what: `the table of ${step}`,
      made: "ec2:CreateRouteTable",
      refused: [() => removeTable(step), "DependencyViolation"],
      remove: async () => {
        await disassociate(step);
        await removeTable(step);
      },
      again: 1,
    },
    {
      what: `the way out of ${step}`,
      made: "ec2:CreateRoute",
      remove: () => (tableOf(step).routes = []),
      again: 1,
    },
    {
      what: `the subnets of ${step}`,
      made: "ec2:AssociateRouteTable",
      remove: () => disassociate(step),
      again: 2,
    },
  ]),
  ...(["cluster", "node"] as const).flatMap((kind): TakenAway[] => [
    {
      what: `the role ${kind}`,
      made: "iam:CreateRole",
      refused: [
        () => person.send("iam:DeleteRole", { RoleName: `${testName}-${kind}` }),
        "DeleteConflictException",
      ],
      // Of that of nodes the console takes the profile with it.
      remove: () => things().roles.remove(`${testName}-${kind}`),
      again: 1,
    },
    {
      what: `a policy of the role ${kind}`,
      made: "iam:AttachRolePolicy",
      remove: async () => {
        const RoleName = `${testName}-${kind}`;
        const [PolicyArn] = things().roles.get(RoleName).policies;
        await person.send("iam:DetachRolePolicy", { RoleName, PolicyArn });
      },
      again: 1,
    },
  ]),
  {
    what: "the control plane",
    made: "eks:CreateCluster",
    refused: [() => person.send("eks:DeleteCluster", { name: testName }), "ResourceInUseException"],
    remove: () => person.removeControlPlane(testName),
    told: { state: "lost", reason: "Lost", says: /^The control plane \S+ was deleted in AWS/u },
  },
  {
    what: "the access entry of Bowline",
    made: "eks:CreateAccessEntry",
    remove: () => person.send("eks:DeleteAccessEntry", entry),
    again: 1,
  },
  {
    what: "the rights of the access entry",
    made: "eks:AssociateAccessPolicy",
    remove: () =>
      person.send("eks:DisassociateAccessPolicy", {
        ...entry,
        policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
      }),
    again: 1,
  },
  {
    what: "the group of nodes",
    made: "eks:CreateNodegroup",
    remove: () => person.removeNodeGroup(testName, groupName),
    again: 1,
  },
];

/** As often as the controller looks at a cluster that works. */
async function laterLook(): Promise<void> {
  await world.pass(5 * 60_000);
  await cluster.round();
}

test("the table has everything that a cluster is made of", async () => {
  const changes = changesOf(world.aws);
  await cluster.made();
  expect(new Set(table.map(({ made }) => made))).toEqual(new Set(changed(changes)));
});

/** What has become of it in AWS, beside looks. */
const changed = (changes: () => string[]) => changes().filter((call) => call !== "sts:GetCallerIdentity");

async function expectRefused({ refused }: TakenAway): Promise<void> {
  if (refused === undefined) return;
  const [remove, code] = refused;
  await expect(remove()).rejects.toMatchObject({ code });
  await laterLook();
  expect(cluster.told.at(-1)).toEqual({ state: "ready" });
}

/** Looks of a quarter of an hour, all of which say this and change nothing. */
async function expectStill(answer: ProviderAnswer): Promise<void> {
  const changes = changesOf(world.aws);
  for (let look = 0; look < 3; look += 1) {
    await laterLook();
    expect(cluster.told.at(-1)).toEqual(answer);
  }
  expect(changed(changes)).toEqual([]);
}

describe("made again, once, and the cluster goes on, is", () => {
  test.each(table.filter(({ again }) => again !== undefined))("$what", async (row) => {
    await cluster.made();
    await expectRefused(row);
    await row.remove();
    const changes = changesOf(world.aws);
    await world.pass(5 * 60_000);
    expect(await world.provider().observe(cluster.wanted)).toMatchObject({ state: "updating" });
    await cluster.made();
    expect(changes().filter((call) => call === row.made)).toHaveLength(row.again ?? 0);
    expect(world.everything()).toEqual(world.complete(eksSpec));
    const ways = things().routeTables.all.flatMap(({ routes }) => routes.map(({ target }) => target));
    expect(ways.toSorted()).toEqual([idNamed("internet-gateway"), idNamed("nat-gateway-1")].toSorted());
    await expectStill({ state: "ready" });
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

describe("told, and nothing takes its place, is", () => {
  test.each(table.filter(({ told }) => told !== undefined))("$what", async (row) => {
    await cluster.made();
    await expectRefused(row);
    await row.remove();
    const changes = changesOf(world.aws);
    await laterLook();
    expect(cluster.told.at(-1)).toMatchObject({ state: "updating" });
    const { says = /never/u, ...fields } = row.told ?? {};
    const answer = await cluster.until(fields);
    expect(answer.message).toMatch(says);
    await expectStill(answer);
    expect(changed(changes)).toEqual([]);
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

/** The calls of one look in which nothing was found. */
async function callsOfLook(): Promise<string[]> {
  const from = world.aws.calls.length;
  expect(await cluster.round()).toEqual({ state: "ready" });
  return world.aws.calls.slice(from).toSorted();
}

test("all is looked at once in four minutes, by one call for each type; more often only what is watched", async () => {
  await cluster.made();
  while (!(await world.provider().revokeCredentials(cluster.wanted))) await world.pass(10_000);
  const watched = [
    "ec2:DescribeNatGateways",
    "ec2:DescribeRouteTables",
    "eks:DescribeCluster",
    "eks:DescribeNodegroup",
    "sts:GetCallerIdentity",
  ];
  const role = ["iam:GetRole", "iam:ListAttachedRolePolicies"];
  const network = ["Addresses", "InternetGateways", "Subnets", "VpcAttribute", "Vpcs"];
  const all = [...watched, ...role, ...role, ...network.map((name) => `ec2:Describe${name}`)].toSorted();
  await world.pass(5 * 60_000);
  expect(await callsOfLook()).toEqual(all);
  await world.pass(3 * 60_000);
  expect(await callsOfLook()).toEqual(watched);
  await world.pass(60_000);
  expect(await callsOfLook()).toEqual(all);
});

test("what is not found once, and then is, was not taken away", async () => {
  await cluster.made();
  const changes = changesOf(world.aws);
  const [vpc] = things().vpcs.all;
  if (vpc === undefined) throw new Error("There is no VPC.");
  things().vpcs.remove(vpc.id);
  await laterLook();
  expect(cluster.told.at(-1)).toMatchObject({ state: "updating" });
  things().vpcs.add(vpc);
  await cluster.made();
  expect(changed(changes)).toEqual([]);
});

test("what was taken away with a gateway is seen with it, and nothing is made of what is gone", async () => {
  await cluster.made();
  await laterLook();
  await removeGateway();
  await person.send("ec2:ReleaseAddress", { AllocationId: idNamed("address-1") });
  await cluster.made();
  expect(cluster.told.flatMap(({ message = "" }) => /NotFound|does not exist/u.exec(message) ?? [])).toEqual(
    [],
  );
  expect(world.everything()).toEqual(world.complete(eksSpec));
});

test("while the loss of a subnet is told, what can be made again is", async () => {
  await cluster.made();
  empty("subnet-private-2");
  await removeSubnet("subnet-private-2");
  await cluster.until({ reason: "NetworkLost" });
  const before = idNamed("nat-gateway-1");
  await removeGateway();
  // Nodes would have to be in all of the subnets.
  await person.removeNodeGroup(testName, groupName);
  for (let look = 0; look < 10; look += 1) {
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "NetworkLost" });
    await world.pass(60_000);
  }
  expect(idNamed("nat-gateway-1")).not.toBe(before);
  expect(things().subnets.all).toHaveLength(3);
  expect(things().nodegroups.all).toEqual([]);
  await cluster.deleted();
  expect(world.everything()).toEqual({});
});

test("what goes before there is a control plane is made again", async () => {
  await cluster.round();
  expect(things().clusters.all).toEqual([]);
  await removeSubnet("subnet-public-2");
  await removeSubnet("subnet-private-1");
  await cluster.made();
  expect(world.everything()).toEqual(world.complete(eksSpec));
  await cluster.deleted();
  expect(world.everything()).toEqual({});
});

test("a role in whose place somebody else has made another is told, and made again when that is gone", async () => {
  await cluster.made();
  const RoleName = `${testName}-cluster`;
  await person.removeRole(RoleName);
  const theirs = await madeBy(world.aws, () => person.role(RoleName));
  const before = theirs();
  const answer = await cluster.until({ state: "blocked", reason: "NameTaken" });
  expect(answer.message).toContain(`iam:role named ${RoleName} already`);
  await expectStill(answer);
  expect(theirs()).toEqual(before);
  await person.removeRole(RoleName);
  await cluster.made();
  await person.removeRole(RoleName);
  const others = await madeBy(world.aws, () => person.role(RoleName));
  const asMade = others();
  await cluster.deleted();
  expect(others()).toEqual(asMade);
});

test("of everything that goes together nothing is left after a deletion", async () => {
  await cluster.made();
  await person.removeControlPlane(testName);
  await removeGateway();
  await detach();
  for (const table of ["routes-public", "routes-private-1"]) {
    await disassociate(table);
    await removeTable(table);
  }
  for (const { id } of things().subnets.all) await person.send("ec2:DeleteSubnet", { SubnetId: id });
  await person.send("ec2:DeleteVpc", { VpcId: idNamed("vpc") });
  await cluster.until({ state: "lost" });
  await cluster.deleted();
  expect(world.everything()).toEqual({});
});

test("a subnet of a network that was given is told, and never made", async () => {
  const subnetIds = await person.network();
  const vpcId = things().vpcs.all[0]?.id ?? "";
  const network = { vpcId, subnetIds, highAvailability: false, privateEndpoint: false };
  const inner = { ...eksSpec, eks: { ...eksSpec.eks, nodeGroups: [group], network } };
  cluster = new DrivenCluster(world, testKey, inner);
  await cluster.made();
  const [, SubnetId = ""] = subnetIds;
  for (const each of things().interfaces.all) {
    if (each.subnetId === SubnetId) things().interfaces.remove(each.id);
  }
  await person.send("ec2:DeleteSubnet", { SubnetId });
  const changes = changesOf(world.aws);
  const answer = await cluster.until({ state: "blocked", reason: "NetworkLost" });
  expect(answer.message).toContain(`the subnet ${SubnetId}`);
  await expectStill(answer);
  expect(changed(changes)).toEqual([]);
  await cluster.deleted();
  expect(await world.inventory()).toEqual({});
  expect(things().subnets.all).toHaveLength(1);
});

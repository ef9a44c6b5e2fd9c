import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { DrivenCluster } from "./testing/driven-cluster.ts";
import { eksSpec, openEksWorld, testKey, type EksWorld } from "./testing/eks-stage.ts";

type Spec = typeof eksSpec;
type Network = NonNullable<NonNullable<Spec["eks"]>["network"]>;

let world: EksWorld;

beforeEach(async () => {
  world = await openEksWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const none: Network = { highAvailability: false, privateEndpoint: false };
const available: Network = { ...none, highAvailability: true };

function specWith(network: Network, nodeGroups = eksSpec.eks?.nodeGroups ?? []): Spec {
  return { ...eksSpec, eks: { ...eksSpec.eks, nodeGroups, network } };
}

/** A network of somebody else, as a cluster is given it. */
function givenNetwork(): Network {
  const { world: things } = world.aws;
  const vpc = things.newId("vpc");
  const attributes = { enableDnsSupport: true, enableDnsHostnames: true };
  things.vpcs.add({
    ...things.thing(vpc, things.arn("ec2", `vpc/${vpc}`), {}),
    cidr: "10.1.0.0/16",
    attributes,
  });
  const subnetIds = ["a", "b"].map((letter, at) => {
    const id = things.newId("subnet");
    const thing = things.thing(id, things.arn("ec2", `subnet/${id}`), {});
    things.subnets.add({ ...thing, vpcId: vpc, cidr: `10.1.${at}.0/24`, zone: `eu-west-1${letter}` });
    return id;
  });
  return { ...none, vpcId: vpc, subnetIds };
}

/** Some rounds later. */
async function later(cluster: DrivenCluster): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await world.pass(60_000);
    await cluster.round();
  }
}

describe("a network is made once:", () => {
  test.each([
    ["with one gateway, though there should be more by now", none, available],
    ["with more gateways, though there should be one by now", available, none],
  ])("a cluster stays %s", async (_, before, after) => {
    const cluster = new DrivenCluster(world, testKey, specWith(before));
    await cluster.made();
    cluster.spec = specWith(after);
    await later(cluster);
    expect(cluster.told.at(-1)).toEqual({ state: "ready" });
    expect(world.everything()).toEqual(world.complete(specWith(before)));
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });

  test.each([
    ["fewer", available, none],
    ["more", none, available],
  ])("%s gateways than it was begun with do not stop its creation", async (_, before, after) => {
    const cluster = new DrivenCluster(world, testKey, specWith(before));
    while (
      world.aws.world.clusters.all.length === 0 &&
      !world.aws.calls.includes("ec2:AssociateRouteTable")
    ) {
      const { retryAfterMs = 0 } = await cluster.round();
      await world.pass(retryAfterMs);
    }
    cluster.spec = specWith(after);
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(specWith(before)));
  });

  test("none is made for a cluster that is in a given one which its object names no more", async () => {
    const given = givenNetwork();
    const cluster = new DrivenCluster(world, testKey, specWith(given));
    await cluster.made();
    const before = world.everything();
    cluster.spec = specWith(none);
    await later(cluster);
    expect(cluster.told.at(-1)).toEqual({ state: "ready" });
    expect(world.everything()).toEqual(before);
    const [group] = eksSpec.eks?.nodeGroups ?? [];
    cluster.spec = specWith(none, group === undefined ? [] : [group, { ...group, name: "more" }]);
    const answer = await cluster.until({ state: "blocked" });
    expect(answer).toMatchObject({ reason: "PlaceChanged" });
    expect(answer.message).toContain("spec.eks.network.subnetIds");
  });

  test("nodes go on being in the own one, though the object names another", async () => {
    const cluster = new DrivenCluster(world, testKey, specWith(none));
    await cluster.made();
    const [group] = eksSpec.eks?.nodeGroups ?? [];
    cluster.spec = specWith(givenNetwork(), group === undefined ? [] : [group, { ...group, name: "more" }]);
    await cluster.made();
    const own = new Set(world.aws.world.clusters.all.flatMap(({ subnetIds }) => subnetIds));
    const used = world.aws.world.nodegroups.all.flatMap(({ settings }) => settings["subnets"]);
    expect(used.length).toBeGreaterThan(2);
    expect(used.every((id) => own.has(String(id)))).toBe(true);
  });
});

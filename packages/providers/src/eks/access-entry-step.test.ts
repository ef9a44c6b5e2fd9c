import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, testName, type EksWorld } from "./testing/eks-stage.ts";

let world: EksWorld;

beforeEach(async () => {
  world = await openEksWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** The key of a session of a role that is this machine's, or of somebody who has signed in. */
function sessionOf(role: string): Readonly<Record<string, string>> {
  const principal = { arn: `arn:aws:sts::111122223333:assumed-role/${role}/jane`, userId: "AROA:jane" };
  return { ...world.aws.principals.addKey(principal, world.clock.now() + 24 * 3_600_000) };
}

const principals = () => world.aws.world.accessEntries.all.map(({ principalArn }) => principalArn);

test("a role that has a path, as those of IAM Identity Center have, is let in by all of its name", async () => {
  const role = "AWSReservedSSO_Admin_1f9ff1";
  const arn = `arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/eu-west-1/${role}`;
  const thing = world.aws.world.thing(role, arn, {});
  world.aws.world.roles.add({ ...thing, trust: "{}", permissionsBoundary: undefined, policies: new Set() });
  await new DrivenCluster(world, sessionOf(role)).made();
  expect(principals()).toEqual([arn]);
});

test("a role that may not be looked at is let in by what its session says", async () => {
  const credential = sessionOf("machine");
  const cluster = new DrivenCluster(world, credential);
  await cluster.made();
  expect(principals()).toEqual(["arn:aws:iam::111122223333:role/machine"]);
});

describe("an entry of the same principal that somebody else has made", () => {
  const principalArn = "arn:aws:iam::111122223333:user/bowline";
  const theirs = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";
  const admin = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";
  let cluster: DrivenCluster;

  async function revoke(): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      if (await world.provider().revokeCredentials(cluster.wanted)) return;
      await world.pass(10_000);
    }
    throw new Error("It is not taken back.");
  }

  async function putEntry(policies: readonly string[]): Promise<void> {
    cluster = new DrivenCluster(world);
    await cluster.made();
    await revoke();
    expect(principals()).toEqual([]);
    const arn = world.aws.world.arn("eks", `access-entry/${testName}/user/theirs`);
    const thing = world.aws.world.thing(`${testName}/${principalArn}`, arn, { owner: "somebody else" });
    const entry = { cluster: testName, principalArn, policies: new Set(policies) };
    world.aws.world.accessEntries.add({ ...thing, ...entry });
  }

  const policies = () => world.aws.world.accessEntries.all.map((entry) => [...entry.policies]);

  test.each([
    ["has all rights", [admin], [admin]],
    ["has fewer rights, which are all that it has afterwards", [theirs], [theirs, admin]],
  ])("is used and not taken back, where it %s", async (_, had, has) => {
    await putEntry(had);
    await world.provider().credentials(cluster.wanted);
    expect(policies()).toEqual([has]);
    await revoke();
    expect(policies()).toEqual([had]);
    expect(await cluster.round()).toMatchObject({ state: "ready" });
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

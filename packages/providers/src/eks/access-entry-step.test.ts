import { afterEach, beforeEach, expect, test } from "vitest";

import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, type EksWorld } from "./testing/eks-stage.ts";

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

import { addVolume, FakeAws } from "@bowline/test-aws";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { AwsApi, AwsTarget } from "./aws/aws-api.ts";
import { SdkApi } from "./aws/sdk-api.ts";
import { boundaryName } from "./names.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { countOf, eksSpec, openEksWorld, testKey, testName, type EksWorld } from "./testing/eks-stage.ts";

const otherKey = { accessKeyId: "AKIACANARY0000000002", secretAccessKey: "canary-secret-77c25e1f0a" };
const isOtherPlace = ({ region, key }: AwsTarget): boolean =>
  region === "us-east-1" || key?.accessKeyId === otherKey.accessKeyId;

const sdk = new SdkApi();
let world: EksWorld;
/** Another region, and another account. */
let other: FakeAws;
let credential: Readonly<Record<string, string>>;
let cluster: DrivenCluster;

beforeEach(async () => {
  // Calls go where their region and their key say.
  const routed = (target: AwsTarget): AwsTarget => ({
    ...target,
    endpoint: isOtherPlace(target) ? other.url : world.aws.url,
  });
  const api: AwsApi = {
    send: (target, name, input) => sdk.send(routed(target), name, input),
    token: (target, name) => sdk.token(routed(target), name),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  world = await openEksWorld({ provider: { api } });
  other = await FakeAws.start({ clock: world.clock, region: "us-east-1", accountId: "444455556666" });
  other.addUser("bowline", undefined, otherKey);
  other.addUser("bowline", undefined, testKey);
  other.addPolicy(boundaryName);
  credential = testKey;
  cluster = new DrivenCluster(world);
  Object.assign(cluster.work, { credential: () => Promise.resolve(credential) });
});
afterEach(async () => {
  await other[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const elsewhere = () => countOf(other, () => true);

describe("a cluster of which the object names another region", () => {
  test("stays where it is, and says so", async () => {
    await cluster.made();
    cluster.spec = { ...eksSpec, region: "us-east-1" };
    const answer = await cluster.round();
    expect(answer).toMatchObject({ state: "blocked", reason: "PlaceChanged" });
    expect(answer.message).toContain("eu-west-1");
    expect(world.everything()).toEqual(world.complete(eksSpec));
    expect(elsewhere()).toEqual({});
    cluster.spec = eksSpec;
    await cluster.made();
  });

  test("is deleted where it was made", async () => {
    await cluster.made();
    cluster.spec = { ...eksSpec, region: "us-east-1" };
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });

  test("is not begun a second time in its middle", async () => {
    await cluster.until({ reason: "CreatingControlPlane" });
    cluster.spec = { ...eksSpec, region: "us-east-1" };
    for (let round = 0; round < 5; round += 1) {
      expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "PlaceChanged" });
      await world.pass(20_000);
    }
    expect(elsewhere()).toEqual({});
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

describe("a cluster of which the Credential is for another account", () => {
  test("is not taken for lost, or made there", async () => {
    await cluster.made();
    credential = otherKey;
    for (let round = 0; round < 3; round += 1) {
      const answer = await cluster.round();
      expect(answer).toMatchObject({ state: "blocked", reason: "AccountChanged" });
      expect(answer.message).toMatch(/111122223333.*444455556666/u);
      await world.pass(20_000);
    }
    expect(elsewhere()).toEqual({});
    credential = testKey;
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });

  test("is not begun a second time after its first call", async () => {
    world.aws.faults.plan({ action: "ec2:ModifyVpcAttribute", fault: { kind: "error" }, times: 1 });
    await cluster.round();
    expect(world.everything()).toEqual({ vpcs: 1 });
    credential = otherKey;
    for (let round = 0; round < 3; round += 1) {
      expect(await cluster.round()).toMatchObject({ reason: "AccountChanged" });
      await world.pass(20_000);
    }
    expect(elsewhere()).toEqual({});
  });

  test("is remembered until it was deleted where it is", async () => {
    await cluster.made();
    credential = otherKey;
    for (let round = 0; round < 5; round += 1) {
      expect(await cluster.round("absent")).toMatchObject({ state: "blocked", reason: "AccountChanged" });
      await world.pass(20_000);
    }
    expect(world.everything()).toEqual(world.complete(eksSpec));
    credential = testKey;
    // Until only what has no account in its name is left.
    await cluster.until({ state: "deleting", reason: "DeletingCluster" }, "absent");
    credential = otherKey;
    expect(await cluster.round("absent")).toMatchObject({ reason: "AccountChanged" });
    credential = testKey;
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });

  test("is remembered as long as something is left of it", async () => {
    await cluster.made();
    const volume = addVolume(world.aws.world, testName);
    await cluster.until({ state: "blocked", reason: "LeftOver" }, "absent");
    credential = otherKey;
    expect(await cluster.round("absent")).toMatchObject({ state: "blocked", reason: "AccountChanged" });
    credential = testKey;
    expect(await cluster.round("absent")).toMatchObject({ reason: "LeftOver", leftOver: [volume.arn] });
    volume.remove();
    await cluster.deleted();
  });
});

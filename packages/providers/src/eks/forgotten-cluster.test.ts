import { BowlineError } from "@bowline/core";
import { addVolume } from "@bowline/test-aws";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { AwsError, type AwsApi } from "./aws/aws-api.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, testKey, testName, type EksWorld } from "./testing/eks-stage.ts";

let world: EksWorld;
let cluster: DrivenCluster;

beforeEach(async () => {
  world = await openEksWorld();
  cluster = new DrivenCluster(world);
  await cluster.made();
});
afterEach(() => world[Symbol.asyncDispose]());

const wrongKey = { ...testKey, secretAccessKey: "wrong" };

describe("the deletion of a cluster of which there are no records, as after the restore of an old backup", () => {
  test("looks for its marks, and takes away what it finds", async () => {
    const restored = new DrivenCluster(world);
    await restored.deleted();
    expect(world.everything()).toEqual({});
    expect(restored.told).toContainEqual(
      expect.objectContaining({ state: "deleting", message: expect.stringContaining("by its marks") }),
    );
  });

  test("lists what only a person may take away", async () => {
    await cluster.deleted();
    const volume = addVolume(world.aws.world, testName);
    const restored = new DrivenCluster(world);
    expect(await restored.round("absent")).toMatchObject({ reason: "LeftOver", leftOver: [volume.arn] });
    volume.remove();
    expect(await restored.round("absent")).toEqual({ state: "gone" });
  });

  test("is held up where nobody may look, unless nothing was ever begun", async () => {
    const restored = new DrivenCluster(world, wrongKey);
    for (const wasBegun of [undefined, true]) {
      Object.assign(restored.work, { wasBegun });
      const answer = await restored.round("absent");
      expect(answer).toMatchObject({ state: "blocked", reason: "NotPermitted" });
      expect(answer.message).toContain("set spec.deletionPolicy to orphan");
    }
    expect(world.everything()).toEqual(world.complete(cluster.work.cluster.spec));
  });

  test("waits while AWS does not answer, also where nothing was ever begun", async () => {
    const restored = new DrivenCluster(world);
    Object.assign(restored.work, { wasBegun: false });
    const mend = world.aws.faults.plan({ fault: { kind: "error" }, times: Infinity });
    expect(await restored.round("absent")).toMatchObject({ state: "deleting" });
    mend();
    await restored.deleted();
    expect(world.everything()).toEqual({});
  });
});

test("the deletion of a cluster whose records are older than its control plane finds that, and its nodes", async () => {
  const restored = new DrivenCluster(world);
  for (const record of await cluster.work.records.list()) {
    if (/^(?:vpc|internet|subnet|address|nat|routes)/u.test(record.step)) {
      await restored.work.records.put(record);
    }
  }
  await restored.deleted();
  expect(world.everything()).toEqual({});
});

describe("a cluster that never came so far as to have anything in AWS can be deleted", () => {
  const missing = new BowlineError("NotFound", "There is no Credential.", {
    details: { reason: "CredentialMissing" },
  });

  test("with a credential that never worked", async () => {
    const never = new DrivenCluster(world, wrongKey);
    Object.assign(never.work, { wasBegun: false });
    expect(await never.round()).toMatchObject({ state: "blocked", reason: "NotPermitted" });
    expect(await never.round("absent")).toEqual({ state: "gone" });
  });

  test("with a Credential that was never there", async () => {
    const never = new DrivenCluster(world);
    Object.assign(never.work, { wasBegun: false, credential: () => Promise.reject(missing) });
    expect(await never.round("absent")).toEqual({ state: "gone" });
  });

  test("in a region that there is not", async () => {
    const unknown: AwsApi = {
      send: (_, name) =>
        Promise.reject(new AwsError(name, { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND" })),
      token: () => Promise.reject(missing),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    await using nowhere = await openEksWorld({ provider: { api: unknown } });
    const never = new DrivenCluster(nowhere);
    expect(await never.round("absent")).toMatchObject({ state: "deleting" });
    Object.assign(never.work, { wasBegun: false });
    expect(await never.round("absent")).toEqual({ state: "gone" });
  });
});

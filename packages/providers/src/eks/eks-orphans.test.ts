import { afterEach, beforeEach, expect, test } from "vitest";

import { resourceToken } from "../resource-record.ts";
import type { AwsApi } from "./aws/aws-api.ts";
import { SdkApi } from "./aws/sdk-api.ts";
import { tagsOf } from "./names.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, testName, type EksWorld } from "./testing/eks-stage.ts";

const sdk = new SdkApi();
let world: EksWorld;
let cluster: DrivenCluster;
/** Done before a call of that name. */
let before: Readonly<Record<string, () => void>>;

beforeEach(async () => {
  before = {};
  const api: AwsApi = {
    send: (target, name, input) => {
      before[name]?.();
      return sdk.send(target, name, input);
    },
    token: (target, name) => sdk.token(target, name),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  world = await openEksWorld({ provider: { api } });
  cluster = new DrivenCluster(world);
  await cluster.made();
});
afterEach(() => world[Symbol.asyncDispose]());

test("what goes while it is looked at hides nothing else", async () => {
  const { roles, clusters } = world.aws.world;
  before = {
    "iam:ListRoleTags": () => roles.remove(`${testName}-cluster`),
    "eks:DescribeCluster": () => clusters.remove(testName),
  };
  const { cluster: known, ...search } = cluster.wanted;
  const missed: string[] = [];
  const onMissed = (place: string): void => void missed.push(place);
  const options = { ...search, clusters: [known], clusterIds: new Set<string>(), onMissed };
  const found = (await world.provider().orphans(options)).map(({ id }) => id);
  expect(missed).toEqual([]);
  expect(found).toContain(`${testName}-node`);
  expect(found).toContain(world.aws.world.vpcs.all[0]?.id);
});

test("what is remembered and there is not exchanged for another one of the same kind", async () => {
  const { world: things } = world.aws;
  const [vpc] = things.vpcs.all;
  if (vpc === undefined) throw new Error("There is no VPC.");
  const token = resourceToken(cluster.work.cluster.id, "vpc", 2);
  const id = things.newId("vpc");
  const thing = things.thing(id, things.arn("ec2", `vpc/${id}`), tagsOf(cluster.work, { token }));
  things.vpcs.add({ ...vpc, ...thing });
  await world.provider().recover(cluster.wanted);
  const record = (await cluster.work.records.list()).find(({ step }) => step === "vpc");
  expect(record?.id).toBe(vpc.id);
});

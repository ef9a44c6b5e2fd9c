import type { PolicyDocument } from "@bowline/test-aws";
import { FakeAws } from "@bowline/test-aws";
import { ManualClock } from "@bowline/core/testing";

import type { ProviderStage, ProviderWorld } from "../../testing/provider-stage.ts";
import type { WantedCluster } from "../../provider.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import { EksProvider, type EksProviderOptions } from "../eks-provider.ts";
import { boundaryName, awsNameOf } from "../names.ts";

type Spec = WantedCluster["spec"];

export const testKey = { accessKeyId: "AKIACANARY0000000001", secretAccessKey: "canary-secret-5e1f0a77c2" };
export const testClusterId = "018f0000-0000-7000-8000-000000000001";
/** Of the cluster `web` with that id. */
export const testName = awsNameOf({ id: testClusterId, name: "web" });

export const eksSpec: Spec = {
  provider: "eks",
  region: "eu-west-1",
  eks: {
    credential: "aws",
    kubernetesVersion: "1.32",
    nodeGroups: [{ name: "main", instanceType: "m7g.large", minSize: 1, maxSize: 3, capacity: "onDemand" }],
  },
};

export interface EksWorld extends ProviderWorld {
  readonly clock: ManualClock;
  readonly aws: FakeAws;
  provider(): EksProvider;
  /** All that is there, foreign or not. */
  everything(): Record<string, number>;
}

export interface EksWorldOptions {
  readonly policies?: readonly PolicyDocument[];
  readonly region?: string;
  readonly provider?: Partial<EksProviderOptions>;
}

const foreignTags = { owner: "somebody else" };

/** A fake of AWS with the boundary that the guide asks for, and a provider that talks to it with the real SDK. */
export async function openEksWorld({
  policies,
  region = "eu-west-1",
  provider = {},
}: EksWorldOptions = {}): Promise<EksWorld> {
  const clock = new ManualClock();
  const aws = await FakeAws.start({ clock, region });
  aws.addUser("bowline", policies, testKey);
  aws.addPolicy(boundaryName);
  const api = new SdkApi();
  let repair = (): void => {};
  const { world } = aws;
  const everything = (): Record<string, number> => countOf(aws, () => true);
  return {
    aws,
    clock,
    everything,
    pass: (ms) => clock.advance(ms),
    provider: () =>
      new EksProvider({
        api,
        endpoint: aws.url,
        removeWorkloads: () => Promise.resolve("done"),
        ...provider,
      }),
    inventory: () => Promise.resolve(countOf(aws, ({ tags }) => tags["owner"] === undefined)),
    complete: (spec) => ({
      ...(spec.eks?.network?.vpcId === undefined
        ? {
            vpcs: 1,
            subnets: 4,
            internetGateways: 1,
            addresses: spec.eks?.network?.highAvailability === true ? 2 : 1,
            natGateways: spec.eks?.network?.highAvailability === true ? 2 : 1,
            routeTables: spec.eks?.network?.highAvailability === true ? 3 : 2,
          }
        : {}),
      roles: 2,
      clusters: 1,
      accessEntries: 1,
      nodegroups: spec.eks?.nodeGroups.length ?? 0,
    }),
    putForeign: () => {
      const name = `${testName}-cluster`;
      const arn = world.arn("iam", `role/${name}`);
      const thing = world.thing(name, arn, foreignTags);
      world.roles.add({
        ...thing,
        trust: "{}",
        permissionsBoundary: undefined,
        policies: new Set(["theirs"]),
      });
      return Promise.resolve();
    },
    foreign: () =>
      Promise.resolve(
        world.roles.all.filter(({ tags }) => tags["owner"] !== undefined).map((role) => ({ ...role })),
      ),
    takeAway: () => {
      for (const shelf of [
        world.clusters,
        world.nodegroups,
        world.accessEntries,
        world.interfaces,
        world.securityGroups,
      ]) {
        for (const { id } of shelf.all) shelf.remove(id);
      }
      return Promise.resolve();
    },
    breakDown: (isDown) => {
      repair();
      if (isDown) repair = aws.faults.plan({ fault: { kind: "error" }, times: Infinity });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await aws[Symbol.asyncDispose]();
    },
  };
}

/** Types of which there is none are missing; NAT gateways that are only remembered do not count. */
export function countOf(
  aws: FakeAws,
  counts: (thing: { readonly tags: Readonly<Record<string, string>> }) => boolean,
): Record<string, number> {
  const { vpcs, subnets, internetGateways, addresses, natGateways, routeTables, roles } = aws.world;
  const { clusters, accessEntries, nodegroups } = aws.world;
  const nowMs = aws.world.clock.now();
  const living = natGateways.all.filter(({ deletedAtMs = Infinity }) => deletedAtMs > nowMs);
  const all = {
    vpcs: vpcs.all,
    subnets: subnets.all,
    internetGateways: internetGateways.all,
    addresses: addresses.all,
    natGateways: living,
    routeTables: routeTables.all,
    roles: roles.all,
    clusters: clusters.all,
    accessEntries: accessEntries.all,
    nodegroups: nodegroups.all,
  };
  const counted = Object.entries(all).map(([type, things]) => [type, things.filter(counts).length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

/** The contract on the fake of AWS. */
export function eksStage(options: Partial<ProviderStage> = {}): ProviderStage {
  const [group] = eksSpec.eks?.nodeGroups ?? [];
  if (eksSpec.eks === undefined || group === undefined)
    throw new Error("The spec of this stage has no nodes.");
  return {
    spec: eksSpec,
    // Another version, another type of machine, and one more group.
    changedSpec: {
      ...eksSpec,
      eks: {
        ...eksSpec.eks,
        kubernetesVersion: "1.33",
        nodeGroups: [
          { ...group, instanceType: "m7g.xlarge", maxSize: 5, labels: { tier: "web" } },
          { ...group, name: "more" },
        ],
      },
    },
    credentials: { aws: testKey },
    cuts: "calls",
    timeoutMs: 600_000,
    openWorld: () => openEksWorld(),
    ...options,
  };
}

import { ManualClock } from "@bowline/core/testing";
import type { MotoServer } from "@bowline/test-services";

import type { ProviderStage, ProviderWorld } from "../../testing/provider-stage.ts";
import type { AwsKey } from "../aws/aws-api.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import { EksProvider } from "../eks-provider.ts";
import { eksSpec, eksStage, testKey, testName } from "./eks-stage.ts";
import { MotoAccount } from "./moto-account.ts";

/**
 * The contract on moto, with the real SDK. What is not moto's own there is listed at the head of `moto_for_tests.py`: the
 * access entries, `DryRun` of CreateVpc, and the tags of what is gone.
 */
export function motoStage(server: () => MotoServer): ProviderStage {
  let accounts = 0;
  const { kubernetesVersion: _, ...settings } = eksSpec.eks ?? { nodeGroups: [] };
  return eksStage({
    // Moto knows no versions that are offered.
    spec: { ...eksSpec, eks: settings },
    omitted: {
      "dying while deleting":
        "moto has no state DELETING: a control plane is gone with the call, so that nothing is ever on its way out",
      "lost answers":
        "moto knows no client tokens of EC2; without them this is what dying while creating shows already",
      "refused calls":
        "moto refuses nothing that AWS refuses for a while: it has no quotas and no throttling",
      changing: "moto answers UpdateClusterVersion with a page of HTML",
      outages: "moto has no throttling and no errors of its own: it answers as long as it runs",
    },
    openWorld: () => {
      accounts += 1;
      return openMotoWorld(server().accountUrl(String(100_000_000_000 + accounts)));
    },
  });
}

/** An account of moto, looked at with a key that may do anything there. */
export async function openMotoWorld(endpoint: string, key: AwsKey = testKey): Promise<ProviderWorld> {
  const api = new SdkApi();
  const account = await MotoAccount.open(api, { region: "eu-west-1", endpoint, key });
  const clock = new ManualClock();
  return {
    clock,
    pass: (ms) => clock.advance(ms),
    provider: () => new EksProvider({ api, endpoint, removeWorkloads: () => Promise.resolve("done") }),
    inventory: () => account.inventory(),
    complete: (spec) => ({
      vpcs: 1,
      subnets: 4,
      internetGateways: 1,
      addresses: 1,
      natGateways: 1,
      routeTables: 2,
      roles: 2,
      clusters: 1,
      accessEntries: 1,
      nodegroups: spec.eks?.nodeGroups.length ?? 0,
    }),
    putForeign: () => account.putForeignRole(`${testName}-cluster`),
    foreign: () => account.foreignRoles(),
    takeAway: () => account.takeClustersAway(),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

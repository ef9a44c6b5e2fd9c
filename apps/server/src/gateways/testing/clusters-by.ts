import { Metrics, systemClock } from "@bowline/core";
import type { Provider, ProviderAnswer, ProviderWork } from "@bowline/providers";

import { clusterController } from "../../controllers/cluster-controller.ts";
import type { ObjectController } from "../../controllers/object-controller.ts";
import { AgentJoin } from "../../provisioning/agent-join.ts";
import { ClusterProvisioner } from "../../provisioning/cluster-provisioner.ts";
import { ProvisioningMetrics } from "../../provisioning/provisioning-metrics.ts";

/** The controller of Clusters, of which some are made by a provider. */
export function clustersBy(provider: Provider): ObjectController {
  return clusterController((host) => {
    const manifests = {
      // Its agent is there before it is made, here.
      agents: { createJoinToken: () => Promise.reject(new Error("Nobody asked for a join token.")) },
      clock: systemClock,
      randomBytes: (size: number) => Buffer.alloc(size),
      endpoint: () => undefined,
      image: "bowline:test",
      namespace: "bowline-system",
    };
    return new ClusterProvisioner({
      ...host,
      providers: new Map([[provider.name, provider]]),
      join: new AgentJoin({ manifests, clock: systemClock }),
      metrics: new ProvisioningMetrics(new Metrics({ version: "test", revision: "test" })),
    });
  });
}

/** The same without its waits: what has to be missed for ten seconds is missed for a tenth of one. */
export function hurried(provider: Provider): Provider {
  const faster = (work: ProviderWork): ProviderWork => ({
    ...work,
    clock: { ...systemClock, now: () => systemClock.now() * 100 },
  });
  const soon = async (answer: Promise<ProviderAnswer>): Promise<ProviderAnswer> => ({
    ...(await answer),
    retryAfterMs: 100,
  });
  return {
    ...provider,
    observe: (work) => soon(provider.observe(faster(work))),
    next: (work) => soon(provider.next(faster(work))),
    delete: (work) => soon(provider.delete(faster(work))),
  };
}

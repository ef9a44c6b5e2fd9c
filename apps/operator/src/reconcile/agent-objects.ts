import type { KubeObject } from "@bowline/kube";

import { shardCount, type MetricsAgent } from "../api/metrics-agent.ts";
import type { Secret } from "../objects/pack-secrets.ts";
import { headlessService } from "../objects/service.ts";
import { statefulSet, type StatefulSet } from "../objects/stateful-set.ts";
import type { Discovered } from "./discover.ts";

/** Everything an agent should have. */
export interface AgentObjects {
  readonly files: readonly Secret[];
  readonly config: readonly Secret[];
  readonly service: KubeObject;
  /** One for each shard. */
  readonly statefulSets: readonly StatefulSet[];
}

export function agentObjects(
  agent: MetricsAgent,
  { secrets }: Pick<Discovered, "secrets">,
  imageRepository: string,
): AgentObjects {
  return {
    ...secrets,
    service: headlessService(agent),
    statefulSets: Array.from({ length: shardCount(agent) }, (_, shard) =>
      statefulSet(agent, shard, imageRepository),
    ),
  };
}

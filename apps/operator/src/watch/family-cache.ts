import type { AgentFamily } from "../family/agent-family.ts";
import type { SelectedObject } from "./cached-object.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import type { OptionalInformer } from "./optional-informer.ts";

/** What is watched for one family of agents, and the monitors, which all of them share. */
export class FamilyCache {
  readonly agents: OptionalInformer<SelectedObject>;
  readonly instances: OptionalInformer<SelectedObject>;
  /** Instances and monitors, by kind. */
  readonly selected: ReadonlyMap<string, OptionalInformer<SelectedObject>>;

  constructor({ agents, instances }: Pick<AgentFamily, "agents" | "instances">, cluster: ClusterCache) {
    this.agents = cluster.optional(agents);
    this.instances = cluster.optional(instances);
    this.selected = new Map([[instances.kind, this.instances], ...cluster.monitors]);
  }

  /** Instances and monitors. */
  selectable(): SelectedObject[] {
    return [...this.selected.values()].flatMap((informer) => informer.list());
  }
}

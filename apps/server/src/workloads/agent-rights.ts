import { workloadResource } from "@bowline/api";
import { hasCode, LruMap, shortened, type Clock } from "@bowline/core";
import { resources, type KubeObject, type ResourceRef } from "@bowline/kube";

import type { ClusterClients } from "./cluster-clients.ts";
import type { Statement } from "./resolve-workload.ts";

interface AccessReview extends KubeObject {
  spec?: object;
  status?: { allowed?: unknown };
}

export interface RightsQuestion {
  readonly cluster: string;
  /** Another one whenever it might be another cluster. */
  readonly clusterKey: string;
  /** When its agent came: its rights may be others than before. */
  readonly connectedSince: string;
  readonly resources: readonly { readonly group: string; readonly kind: string }[];
  readonly signal: AbortSignal;
}

/** Nobody tells when roles change in a cluster, so answers are asked for again. */
const rememberMs = 2 * 60_000;
const maxRemembered = 10_000;
const maxMessageLength = 1_000;
const readVerbs = ["get", "list", "watch"];

/** Asks clusters whether their agents may watch what workloads are made of. */
export class AgentRights {
  readonly #clients: ClusterClients;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #known = new LruMap<string, { readonly mayWatch: boolean; readonly untilMs: number }>(
    maxRemembered,
  );

  constructor(clients: ClusterClients, clock: Pick<Clock, "monotonicMs">) {
    this.#clients = clients;
    this.#clock = clock;
  }

  /** The rights that an agent lacks to tell how resources do; undefined when it has all. */
  async missing(question: RightsQuestion): Promise<Statement | undefined> {
    const { cluster, clusterKey, resources: named } = question;
    const kinds = new Map(named.map(({ group, kind }) => [`${group}/${kind}`, { group, kind }]));
    const discovery = this.#clients.discovery(cluster, clusterKey);
    const missing: ResourceRef[] = [];
    // Whether an agent may read Secrets is a choice, and by itself it may not: that is nothing to mend.
    kinds.delete("/Secret");
    for (const kind of kinds.values()) {
      const resource = await discovery.findKind(kind);
      if (resource !== undefined && !(await this.#mayWatch(question, resource))) missing.push(resource);
    }
    return missing.length === 0 ? undefined : watchForbidden(missing);
  }

  async #mayWatch(
    { cluster, clusterKey, connectedSince, signal }: RightsQuestion,
    { group, plural }: ResourceRef,
  ): Promise<boolean> {
    const key = `${clusterKey}/${connectedSince}/${group}/${plural}`;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.mayWatch;
    const review: AccessReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: { resourceAttributes: { group, resource: plural, verb: "watch" } },
    };
    const client = this.#clients.asAgent(cluster);
    const mayWatch = await client
      .create<AccessReview>(resources.selfSubjectAccessReviews, review, { signal })
      .then(
        ({ status }) => status?.allowed !== false,
        (error: unknown) => {
          // Clusters in which nobody may ask about themselves say nothing about watching.
          if (hasCode(error, "Forbidden", "NotFound")) return true;
          throw error;
        },
      );
    this.#known.set(key, { mayWatch, untilMs: nowMs + rememberMs });
    return mayWatch;
  }
}

/** The agent has what it lacked before. */
export const watched: Statement = {
  status: "True",
  reason: "Watched",
  message: "The agent may watch every kind of the resources.",
};

function watchForbidden(missing: readonly ResourceRef[]): Statement {
  const names = missing.map(({ group, plural }) => (group === "" ? plural : `${plural}.${group}`));
  const rules = [...Map.groupBy(missing, ({ group }) => group)].map(([group, kinds]) =>
    ruleText({ apiGroups: [group], resources: kinds.map(({ plural }) => plural), verbs: readVerbs }),
  );
  const message = `The agent may not watch ${names.join(", ")}, so nobody is told how they do. Add to its ClusterRole: ${rules.join(", ")}`;
  return { status: "False", reason: "WatchForbidden", message: shortened(message, maxMessageLength) };
}

const { group: workloadGroup, plural: workloads } = workloadResource;

/** The agent may not keep the resource that tells it what to watch. */
export const workloadForbidden: Statement = {
  status: "False",
  reason: "WorkloadForbidden",
  message: `The agent may not write ${workloads}.${workloadGroup}, by which it knows what to watch. Add to its ClusterRole: ${ruleText(
    {
      apiGroups: [workloadGroup],
      resources: [workloads, `${workloads}/status`],
      verbs: [...readVerbs, "create", "update", "patch", "delete"],
    },
  )} or apply its manifest again, from bowline cluster add --rights workloads.`,
};

function ruleText(rule: {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}): string {
  return JSON.stringify(rule);
}

import { isDeepStrictEqual } from "node:util";

import {
  workloadDefinition,
  workloadResource,
  type StatusOf,
  type WorkloadPlacement,
  type WorkloadResourceSpec,
  type WorkloadResourceStatus,
} from "@bowline/api";
import { canonicalJson, contentId, hasCode, LruMap, shortened, type Clock } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import { findCondition } from "@bowline/runtime";
import { fieldManager } from "@bowline/workloads";

import type { ClusterClients } from "./cluster-clients.ts";

interface WorkloadObject extends KubeObject {
  spec?: WorkloadResourceSpec;
  status?: WorkloadResourceStatus;
}

/** Hashes of what was written last. */
interface WrittenParts {
  readonly spec: string;
  readonly status: string;
}

export interface WorkloadWrite {
  readonly cluster: string;
  /** Another one whenever it might be another cluster. */
  readonly clusterKey: string;
  /** Name of the instance. */
  readonly name: string;
  readonly spec: WorkloadResourceSpec;
  readonly status: WorkloadResourceStatus;
  readonly signal: AbortSignal;
}

const schemaAnnotation = "bowline.dev/schema";
const { group, version, kind, plural } = workloadResource;
const workloads: ResourceRef = { group, version, kind, plural, namespaced: false };

/** How many written resources are remembered, so that what is there already is not sent again. */
const maxRemembered = 20_000;
const establishedPollMs = 200;
const establishedLimitMs = 30_000;

/**
 * Writes the Workload resources of placements, with the rights of the agent: whoever a workload acts for need not know
 * of them. The definition of the resource is brought to this server's version first.
 */
export class WorkloadResources {
  readonly #clients: ClusterClients;
  readonly #clock: Clock;
  readonly #definition = workloadDefinition();
  readonly #schema = contentId(canonicalJson(this.#definition));
  /** Clusters that have the definition. */
  readonly #defined = new LruMap<string, true>(maxRemembered);
  readonly #written = new LruMap<string, WrittenParts>(maxRemembered);

  constructor(clients: ClusterClients, clock: Clock) {
    this.#clients = clients;
    this.#clock = clock;
  }

  /** Rejects with `Forbidden` when the agent was not given the rights for it. */
  async write({ cluster, clusterKey, name, spec, status, signal }: WorkloadWrite): Promise<void> {
    const key = `${clusterKey}/${name}`;
    const before = this.#written.get(key);
    const now = { spec: contentId(canonicalJson(spec)), status: contentId(canonicalJson(status)) };
    if (before?.spec === now.spec && before.status === now.status) return;
    const client = this.#clients.asAgent(cluster);
    await this.#define(client, clusterKey, signal);
    const object: WorkloadObject = { apiVersion: `${group}/${version}`, kind, metadata: { name } };
    const options = { fieldManager, force: true, signal };
    const applyStatus = (): Promise<WorkloadObject> =>
      client.apply(workloads, { ...object, status }, { ...options, subresource: "status" });
    // How things do changes far more often than what they are, and the answer tells whether that is still as it was.
    const found = before?.spec === now.spec ? await absentAsUndefined(applyStatus()) : undefined;
    if (found === undefined || !isDeepStrictEqual(found.spec, spec)) {
      await client.apply(workloads, { ...object, spec }, options);
    }
    if (found === undefined) await applyStatus();
    this.#written.set(key, now);
  }

  async delete(cluster: string, clusterKey: string, name: string, signal: AbortSignal): Promise<void> {
    this.#written.delete(`${clusterKey}/${name}`);
    try {
      await this.#clients.asAgent(cluster).delete(workloads, { name, signal });
    } catch (error) {
      if (!hasCode(error, "NotFound", "Forbidden")) throw error;
    }
  }

  async #define(client: KubeClient, clusterKey: string, signal: AbortSignal): Promise<void> {
    if (this.#defined.get(clusterKey) === true) return;
    const { name } = this.#definition.metadata;
    const found = await absentAsUndefined(client.get(resources.customResourceDefinitions, { name, signal }));
    if (found?.metadata.annotations?.[schemaAnnotation] !== this.#schema) {
      const annotations = { [schemaAnnotation]: this.#schema };
      const definition = { ...this.#definition, metadata: { ...this.#definition.metadata, annotations } };
      await client.apply(resources.customResourceDefinitions, definition, {
        fieldManager,
        force: true,
        signal,
      });
    }
    const limitMs = this.#clock.monotonicMs() + establishedLimitMs;
    while (!isEstablished(await client.get(resources.customResourceDefinitions, { name, signal }))) {
      if (this.#clock.monotonicMs() > limitMs) break;
      await this.#clock.sleep(establishedPollMs, signal);
    }
    this.#defined.set(clusterKey, true);
  }
}

/** What the cluster is told about a placement: which objects to watch, and how they do. */
export function workloadParts(
  instanceId: string,
  status: StatusOf<typeof WorkloadPlacement>,
): Pick<WorkloadWrite, "spec" | "status"> {
  const { revision = "", resources: all, conditions, health, resourceCount, healthyCount } = status;
  const ready = findCondition(conditions, "Ready");
  return {
    spec: {
      instanceId,
      revision,
      resources: all.flatMap(
        ({ group: apiGroup, version: apiVersion, kind: kindName, namespace, name, uid }) =>
          uid === undefined
            ? []
            : [
                {
                  group: apiGroup,
                  version: apiVersion,
                  kind: kindName,
                  ...(namespace === undefined ? {} : { namespace }),
                  name,
                  uid,
                },
              ],
      ),
    },
    status: {
      conditions: conditions.filter(({ type }) => type === "Ready"),
      ...(health === undefined ? {} : { health }),
      ...(ready === undefined ? {} : { message: shortened(ready.message, 1_024) }),
      resourceCount,
      healthyCount,
    },
  };
}

async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}

function isEstablished(definition: KubeObject & { status?: { conditions?: unknown } }): boolean {
  const { conditions } = definition.status ?? {};
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (condition: { type?: unknown; status?: unknown }) =>
        condition.type === "Established" && condition.status === "True",
    )
  );
}

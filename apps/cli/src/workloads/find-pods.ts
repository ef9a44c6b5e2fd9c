import { printLabelSelector, type WorkloadPlacement } from "@bowline/api";
import type { ClusterApi } from "@bowline/client";
import { asRecord, isRecord, labelRequirementsOf, type LabelSelectorObject } from "@bowline/core";

import { isNotFound } from "../resources/find-objects.ts";

/** A pod of a workload, as its cluster tells. */
export interface WorkloadPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
  /** The containers of the pod, those that only prepare it last. */
  readonly containers: readonly PodContainer[];
}

export interface PodContainer {
  readonly name: string;
  /** Runs before the others, and ends. */
  readonly isInit: boolean;
  /** Of the container that runs, or ran last; undefined before the first has started. */
  readonly id: string | undefined;
  readonly isRunning: boolean;
  readonly restarts: number;
  /** Why it does not run: `CrashLoopBackOff`, `Completed`, `Error, exit code 1`. */
  readonly reason: string | undefined;
}

type Resource = WorkloadPlacement["status"]["resources"][number];

/** The paths of kinds that own pods, by group and kind. */
const podOwners: Readonly<Record<string, string>> = {
  "/ReplicationController": "/api/v1/namespaces/NAMESPACE/replicationcontrollers",
  "apps/Deployment": "/apis/apps/v1/namespaces/NAMESPACE/deployments",
  "apps/StatefulSet": "/apis/apps/v1/namespaces/NAMESPACE/statefulsets",
  "apps/DaemonSet": "/apis/apps/v1/namespaces/NAMESPACE/daemonsets",
  "apps/ReplicaSet": "/apis/apps/v1/namespaces/NAMESPACE/replicasets",
  "batch/Job": "/apis/batch/v1/namespaces/NAMESPACE/jobs",
};

/** The pods that belong to resources of a workload, sorted; resources that are not there have none. */
export async function findPods(
  api: ClusterApi,
  resources: readonly Resource[],
  signal: AbortSignal,
): Promise<WorkloadPod[]> {
  const pods = new Map<string, WorkloadPod>();
  for (const resource of resources) {
    for (const value of await podsOf(api, resource, signal)) {
      const pod = readPod(value);
      if (pod !== undefined) pods.set(pod.uid, pod);
    }
  }
  return [...pods.values()].toSorted((a, b) =>
    a.namespace === b.namespace ? compare(a.name, b.name) : compare(a.namespace, b.namespace),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

async function podsOf(
  api: ClusterApi,
  { group, kind, namespace = "default", name }: Resource,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const reader = new NamespaceReader(api, namespace, signal);
  if (group === "" && kind === "Pod") return reader.get(podsPath, name);
  if (group === "batch" && kind === "CronJob") return reader.podsOfCronJob(name);
  const path = podOwners[`${group}/${kind}`];
  if (path === undefined) return [];
  const pods = await Promise.all((await reader.get(path, name)).map((owner) => reader.podsSelectedBy(owner)));
  return pods.flat();
}

const podsPath = "/api/v1/namespaces/NAMESPACE/pods";

/** More pods than anybody looks at in one namespace. */
const maxItems = 500;

class NamespaceReader {
  readonly #api: ClusterApi;
  readonly #namespace: string;
  readonly #signal: AbortSignal;

  constructor(api: ClusterApi, namespace: string, signal: AbortSignal) {
    this.#api = api;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** One object, or none. */
  async get(path: string, name: string): Promise<unknown[]> {
    try {
      const address = `${this.#path(path)}/${encodeURIComponent(name)}`;
      return [await this.#api.get(address, { signal: this.#signal })];
    } catch (thrown) {
      if (isNotFound(thrown)) return [];
      throw thrown;
    }
  }

  async podsSelectedBy(owner: unknown): Promise<unknown[]> {
    const { selector } = asRecord(asRecord(owner)["spec"]);
    if (!isRecord(selector)) return [];
    const labelSelector = printLabelSelector(labelRequirementsOf(labelSelectorOf(selector)));
    // A selector without requirements would select the pods of everybody.
    return labelSelector === "" ? [] : this.#list(podsPath, { labelSelector });
  }

  async podsOfCronJob(name: string): Promise<unknown[]> {
    const isOwned = (job: unknown): boolean => {
      const owners = asRecord(asRecord(job)["metadata"])["ownerReferences"];
      return (
        Array.isArray(owners) &&
        owners.some((owner) => asRecord(owner)["kind"] === "CronJob" && asRecord(owner)["name"] === name)
      );
    };
    const jobs = await this.#list("/apis/batch/v1/namespaces/NAMESPACE/jobs", {});
    const pods = await Promise.all(jobs.filter(isOwned).map((job) => this.podsSelectedBy(job)));
    return pods.flat();
  }

  async #list(path: string, query: Readonly<Record<string, string>>): Promise<unknown[]> {
    const parameters = new URLSearchParams({ ...query, limit: String(maxItems) });
    const answer = await this.#api.get(`${this.#path(path)}?${parameters.toString()}`, {
      signal: this.#signal,
    });
    const { items } = asRecord(answer);
    return Array.isArray(items) ? items : [];
  }

  #path(path: string): string {
    return path.replace("NAMESPACE", encodeURIComponent(this.#namespace));
  }
}

/** The selector of an owner; that of a ReplicationController is nothing but labels. */
function labelSelectorOf(selector: Readonly<Record<string, unknown>>): LabelSelectorObject {
  const { matchLabels, matchExpressions } = selector;
  const isPlain = matchLabels === undefined && matchExpressions === undefined;
  return {
    matchLabels: textsIn(isPlain ? selector : matchLabels),
    matchExpressions: Array.isArray(matchExpressions) ? matchExpressions.flatMap(readExpression) : [],
  };
}

type Expression = NonNullable<LabelSelectorObject["matchExpressions"]>[number];

const operators: readonly Expression["operator"][] = ["In", "NotIn", "Exists", "DoesNotExist"];

function readExpression(value: unknown): Expression[] {
  const { key, operator, values } = asRecord(value);
  const known = operators.find((candidate) => candidate === operator);
  if (typeof key !== "string" || known === undefined) return [];
  return [{ key, operator: known, values: Array.isArray(values) ? values.map(String) : [] }];
}

function textsIn(value: unknown): Record<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function readPod(value: unknown): WorkloadPod | undefined {
  const { metadata, spec, status } = asRecord(value);
  const { namespace, name, uid } = asRecord(metadata);
  if (typeof namespace !== "string" || typeof name !== "string" || typeof uid !== "string") return undefined;
  const { conditions, containerStatuses, initContainerStatuses } = asRecord(status);
  const ready = recordsIn(conditions).find(({ type }) => type === "Ready");
  return {
    namespace,
    name,
    uid,
    isReady: ready?.["status"] === "True",
    containers: [
      ...containersIn(asRecord(spec)["containers"], containerStatuses, false),
      ...containersIn(asRecord(spec)["initContainers"], initContainerStatuses, true),
    ],
  };
}

function containersIn(containers: unknown, statuses: unknown, isInit: boolean): PodContainer[] {
  const known = new Map(recordsIn(statuses).map((status) => [status["name"], status]));
  return recordsIn(containers).flatMap(({ name }) => {
    if (typeof name !== "string") return [];
    const { containerID, restartCount, state } = known.get(name) ?? {};
    const { running, waiting, terminated } = asRecord(state);
    return [
      {
        name,
        isInit,
        id: typeof containerID === "string" && containerID !== "" ? containerID : undefined,
        isRunning: running !== undefined,
        restarts: typeof restartCount === "number" ? restartCount : 0,
        reason: reasonOf(waiting ?? terminated),
      },
    ];
  });
}

function reasonOf(state: unknown): string | undefined {
  const { reason, exitCode } = asRecord(state);
  const parts = [
    ...(typeof reason === "string" && reason !== "" ? [reason] : []),
    ...(typeof exitCode === "number" ? [`exit code ${exitCode}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

function recordsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

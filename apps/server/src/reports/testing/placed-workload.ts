import { Cluster, WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { Clock } from "@bowline/core";
import { healthFacts } from "@bowline/health";
import type { ClusterEvent, HookPhase, ReportedResource, Store } from "@bowline/store";
import { cluster, definition, instance, items, placement } from "@bowline/store/testing";

/** The Deployment `web` of the instance `web`, in the namespace `shop` of the cluster `east`. */
export const webObject = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" } as const;

const factsOf = (object: object): string => JSON.stringify(healthFacts(object));

/** It, as an agent reports it with so many pods available. */
export function webDeployment(available: number, more: Partial<ReportedResource> = {}): ReportedResource {
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: available };
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { generation: 1 }, status };
  return {
    ...webObject,
    uid: "u1",
    version: "v1",
    workload: "web",
    resourceVersion: "1",
    facts: factsOf({ ...object, spec: { replicas: 1 } }),
    applied: "d1",
    observedAtMs: 0,
    ...more,
  };
}

const waiting = { reason: "ImagePullBackOff", message: "no such image" };

/** A pod of it whose image cannot be pulled. */
export const webPod: ReportedResource = {
  uid: "3f0f9a52-8a5b-4c39-8c33-6a6a1c0e8a11",
  group: "",
  version: "v1",
  kind: "Pod",
  namespace: "shop",
  name: "web-1",
  ownerUid: "u1",
  workload: "web",
  resourceVersion: "1",
  facts: factsOf({
    apiVersion: "v1",
    kind: "Pod",
    status: { phase: "Pending", containerStatuses: [{ name: "web", ready: false, state: { waiting } }] },
  }),
  observedAtMs: 0,
};

/** An instance that is placed and applied in a cluster, and the agent that reports from there. */
export class PlacedWorkload {
  readonly clusterId: string;
  readonly #store: Store;
  readonly #clock: Pick<Clock, "now">;
  readonly #instanceId: string;
  readonly #revision: string;
  #sequence = 0;

  /** With the Deployment applied at this moment, and a report begun. */
  static async create(store: Store, clock: Pick<Clock, "now">): Promise<PlacedWorkload> {
    const { objects, revisions } = store;
    const east = await objects.create(Cluster, cluster("east"));
    const made = await objects.create(WorkloadDefinition, definition("shop"));
    const web = await objects.create(WorkloadInstance, instance("web", "shop", ["east"]));
    await objects.create(WorkloadPlacement, placement("web", "east", "shop"));
    const definitionId = made.object.metadata.id;
    const { id: revision } = await revisions.put({ definitionId, content: "{}", objects: 1 });
    const placed = new PlacedWorkload(store, clock, {
      clusterId: east.object.metadata.id,
      instanceId: web.object.metadata.id,
      revision,
    });
    await placed.#begin();
    return placed;
  }

  private constructor(
    store: Store,
    clock: Pick<Clock, "now">,
    ids: { readonly clusterId: string; readonly instanceId: string; readonly revision: string },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.clusterId = ids.clusterId;
    this.#instanceId = ids.instanceId;
    this.#revision = ids.revision;
  }

  /** The controller has applied the Deployment, and its fields have this digest since. New content sets the time anew. */
  async applied(digest: string, appliedAtMs = this.#clock.now(), content?: string): Promise<void> {
    const object = { ...webObject, uid: "u1", version: "v1", digest, content, appliedAtMs };
    await this.#store.inventory.applied(this.#key, [object], { revision: this.#revision });
  }

  /** The controller is about to make a Job that runs once. */
  async intendHook(hook: HookPhase): Promise<void> {
    const job = { group: "batch", kind: "Job", namespace: "shop", name: "hook", version: "v1", stage: 2 };
    await this.#store.inventory.intend(this.#key, [{ ...job, hook }], { revision: this.#revision });
  }

  async report(...parts: readonly (ReportedResource | ClusterEvent)[]): Promise<void> {
    const observedAtMs = this.#clock.now();
    const now = parts.map((part) => ("facts" in part ? { ...part, observedAtMs } : part));
    await this.#send(items(...now));
  }

  async reportGone(uid: string): Promise<void> {
    await this.#send(items({ gone: uid }));
  }

  async reportComplete(): Promise<void> {
    this.#sequence += 1;
    await this.#store.reports.complete(this.#report, this.#sequence);
  }

  get #key() {
    return { clusterId: this.clusterId, instanceId: this.#instanceId };
  }

  get #report() {
    return { clusterId: this.clusterId, epoch: 1, instance: "pod-1" };
  }

  async #begin(): Promise<void> {
    const intended = [{ ...webObject, version: "v1", stage: 1 }];
    await this.#store.inventory.intend(this.#key, intended, { revision: this.#revision });
    await this.applied("d1");
    await this.#store.reports.begin(this.#report);
  }

  async #send(sent: ReturnType<typeof items>): Promise<void> {
    this.#sequence += 1;
    await this.#store.reports.store({ key: this.#report, sequence: this.#sequence, items: sent });
  }
}

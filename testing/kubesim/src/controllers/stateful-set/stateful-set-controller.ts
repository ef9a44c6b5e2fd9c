import { SimStatusError } from "../../store/sim-status-error.ts";
import { claimOwned } from "../claim-owned.ts";
import type { ControllerContext } from "../controller-context.ts";
import { ControllerRevisions, revisionHashLabel } from "../controller-revisions.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Pod } from "../kinds/pod.ts";
import type { StatefulSet } from "../kinds/workloads.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf } from "../owner-references.ts";
import { nextAvailabilityMs } from "../pods/pod-state.ts";
import { ordinalClaims, ordinalPod } from "./ordinal-pod.ts";
import { planSteps, setStatus, type Revisions, type Step } from "./stateful-set-plan.ts";

/** Keeps numbered pods, each with its own volumes. */
export class StatefulSetController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #revisions: ControllerRevisions;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "statefulset-controller" });
    this.#revisions = new ControllerRevisions(context, "controller.kubernetes.io/hash");
    this.#queue = loop.queue("statefulset", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.statefulSets.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.pods.onChange((change) => this.#podChanged(change));
    for (const set of cluster.statefulSets.list()) this.#queue.add(keyOf(set));
  }

  #podChanged({ object, previous }: Change<Pod>): void {
    for (const owner of [controllerOf(object), previous && controllerOf(previous)]) {
      if (owner?.kind === "StatefulSet") this.#queue.add(`${object.metadata.namespace ?? ""}/${owner.name}`);
    }
  }

  #reconcile(key: string): void {
    const { cluster } = this.#context;
    const set = cluster.statefulSets.byKey(key);
    if (set === undefined) return;
    const claimable = { resource: cluster.pods, byOwner: cluster.podsByOwner };
    const pods = claimOwned(set, set.spec.selector, claimable);
    if (set.metadata.deletionTimestamp !== undefined) return;
    const revisions = this.#currentRevisions(set);
    for (const step of planSteps(set, pods, revisions)) this.#take(set, step);
    this.#writeStatus(key, set, revisions);
  }

  #currentRevisions(set: StatefulSet): Revisions {
    const update = this.#revisions.current(set);
    const name = set.status?.currentRevision;
    const current = this.#revisions.all(set).find((each) => each.metadata.name === name) ?? update;
    return { current, update };
  }

  #take(set: StatefulSet, step: Step): void {
    if (step.action === "create") {
      this.#create(set, step.ordinal, step.revision);
      return;
    }
    const { name, namespace = "" } = step.pod.metadata;
    if (step.because === "finished") {
      const message = `StatefulSet ${namespace}/${set.metadata.name} is recreating failed Pod ${name}`;
      this.#events.warning(set, "RecreatingFailedPod", message);
    }
    this.#context.cluster.pods.delete(step.pod);
    this.#events.normal(
      set,
      "SuccessfulDelete",
      `delete Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    );
  }

  #create(set: StatefulSet, ordinal: number, revision: Revisions["current"]): void {
    const { pods } = this.#context.cluster;
    const podName = `${set.metadata.name}-${ordinal}`;
    const place = `Pod ${podName} in StatefulSet ${set.metadata.name}`;
    try {
      this.#ensureClaims(set, ordinal, place);
      pods.create(ordinalPod(set, ordinal, revision));
      this.#events.normal(set, "SuccessfulCreate", `create ${place} successful`);
    } catch (error) {
      if (error instanceof SimStatusError) {
        this.#events.warning(set, "FailedCreate", `create ${place} failed error: ${error.message}`);
      }
      throw error;
    }
  }

  #ensureClaims(set: StatefulSet, ordinal: number, place: string): void {
    const { claims } = this.#context.cluster;
    for (const claim of ordinalClaims(set, ordinal)) {
      const name = claim.metadata.name ?? "";
      if (claims.get(set.metadata.namespace, name) !== undefined) continue;
      claims.create(claim);
      this.#events.normal(set, "SuccessfulCreate", `create Claim ${name} ${place} success`);
    }
  }

  #writeStatus(key: string, set: StatefulSet, revisions: Revisions): void {
    const { cluster, clock } = this.#context;
    const pods = cluster.podsByOwner.get(set.metadata.uid);
    const status = setStatus(set, pods, revisions, clock.now());
    cluster.statefulSets.updateStatus({ ...set, status });
    const used = pods.map((pod) => pod.metadata.labels?.[revisionHashLabel] ?? "");
    this.#revisions.forgetOld(
      set,
      new Set([...used, status.currentRevision ?? "", status.updateRevision ?? ""]),
    );
    const nextMs = nextAvailabilityMs(pods, set.spec.minReadySeconds ?? 0, clock.now());
    if (nextMs !== undefined) this.#queue.addAfter(key, nextMs);
  }
}

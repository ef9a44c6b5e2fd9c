import type { BowlineError, ChildTransition, Clock, Random } from "@bowline/core";
import { Discovery, resources, type EventInput, type KubeClient } from "@bowline/kube";
import {
  anyOf,
  Controller,
  enqueueOwner,
  enqueueSelf,
  generationChanged,
  informerSource,
  labelsChanged,
  Manager,
  type EventSource,
  type LeaderElection,
  type Predicate,
  type ReconcileEvent,
  type Reconciler,
  type RuntimeMetrics,
} from "@bowline/runtime";

import { metricsAgents } from "../api/resources.ts";
import { AgentReconciler } from "../reconcile/agent-reconciler.ts";
import { InstanceReconciler } from "../reconcile/instance-reconciler.ts";
import { ObjectWriter } from "../reconcile/object-writer.ts";
import { InstanceReports } from "../status/instance-reports.ts";
import { ReferencedValues } from "../values/referenced-values.ts";
import { AgentInterests } from "../watch/agent-interests.ts";
import type { CachedMetadata } from "../watch/cached-object.ts";
import { ClusterCache } from "../watch/cluster-cache.ts";

export interface OperatorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly imageRepository: string;
  readonly record: (event: EventInput) => void;
  /** How many agents are worked on at the same time. */
  readonly concurrency?: number;
  /** Without it, this process leads. */
  readonly leaderElection?: LeaderElection;
  readonly metrics?: RuntimeMetrics;
  /** Attempts that ended, for the log. */
  readonly onReconciled?: (event: ReconcileEvent) => void;
  readonly onError: (error: BowlineError) => void;
  readonly onTransition?: (transition: ChildTransition) => void;
}

/** The caches, the controllers, and what tells them which objects to look at. */
export function createOperator(options: OperatorOptions): Manager {
  const { client, clock, random, metrics, leaderElection, onTransition } = options;
  const cache = new ClusterCache({ ...options, transport: client.transport });
  const interests = new AgentInterests(() => cache.namespaceLabels());
  const values = new ReferencedValues({
    client,
    metadataOf: ({ kind, namespace, name }) =>
      (kind === "Secret" ? cache.secrets : cache.configMaps).get(namespace, name),
    isReferredTo: (kind, object) => interests.isReferredTo(kind, object),
  });
  const manager = new Manager({
    name: "operator",
    clock,
    random,
    ...(leaderElection === undefined ? {} : { leaderElection }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(onTransition === undefined ? {} : { onTransition }),
  });
  addInformers(manager, cache);
  const discovery = new Discovery(client, { clock });
  const reports = new InstanceReports();
  const writer = new ObjectWriter(client);
  const agents = new AgentReconciler({
    ...options,
    cache,
    interests,
    values,
    writer,
    reports,
    endpointSliceSupported: async () => (await discovery.findKind(resources.endpointSlices)) !== undefined,
  });
  manager.addController(newController("metrics-agent", agents, options), {
    sources: agentSources(cache, interests, writer),
  });
  const instances = new InstanceReconciler({ client, cache, reports, clock });
  manager.addController(newController("metrics-instance", instances, options), {
    sources: [informerSource(cache.instances, enqueueSelf(), generationChanged()), reports],
  });
  return manager;
}

function newController(name: string, reconciler: Reconciler, options: OperatorOptions): Controller {
  const { concurrency = 4, onReconciled, metrics } = options;
  return new Controller({
    ...options,
    name,
    reconciler,
    concurrency,
    // Whatever is in the way may go without an event: a webhook, a quota. It is tried again every five minutes.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    // What only a person can mend is in the conditions before the reconciler gives up.
    onDeadLetter: () => {},
    ...(metrics === undefined ? {} : { metrics }),
    ...(onReconciled === undefined ? {} : { onReconciled }),
  });
}

function addInformers(manager: Manager, cache: ClusterCache): void {
  manager.addInformer("definitions", cache.definitions);
  manager.addInformer("agents", cache.agents);
  for (const [kind, informer] of cache.selected) manager.addInformer(kind, informer);
  const { namespaces, secrets, configMaps, services, statefulSets } = cache;
  for (const informer of [namespaces, secrets, configMaps, services, statefulSets])
    manager.addInformer(informer.resource.plural, informer);
}

function agentSources(cache: ClusterCache, interests: AgentInterests, writer: ObjectWriter): EventSource[] {
  const toOwner = enqueueOwner({ group: metricsAgents.group, kind: metricsAgents.kind });
  // Status and annotations of monitors decide nothing.
  const matters = anyOf(generationChanged(), labelsChanged());
  const selected = [...cache.selected].flatMap(([kind, informer]) => {
    const interest = interests.selected.get(kind);
    return interest === undefined ? [] : [informerSource(informer, interest.handler, matters)];
  });
  return [
    informerSource(cache.agents, enqueueSelf(), generationChanged()),
    ...selected,
    informerSource(cache.namespaces, interests.namespaces.handler, labelsChanged()),
    informerSource(cache.secrets, interests.secrets.handler),
    informerSource(cache.configMaps, interests.configMaps.handler),
    ...[cache.secrets, cache.services, cache.statefulSets].map((owned) =>
      informerSource(owned, toOwner, notOwnWrites(writer)),
    ),
  ];
}

/** One that is new counts in any case: the agent may have come to want less before it was seen here. */
function notOwnWrites(writer: ObjectWriter): Predicate<CachedMetadata> {
  return {
    update: (_before, after) => !writer.isOwnWrite(after),
    delete: (object) => {
      writer.forget(object);
      return true;
    },
  };
}

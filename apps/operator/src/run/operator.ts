import type { BowlineError, ChildTransition, Clock, Random } from "@bowline/core";
import { Discovery, resources, type EventInput, type KubeClient } from "@bowline/kube";
import {
  Controller,
  enqueueSelf,
  generationChanged,
  informerSource,
  Manager,
  type LeaderElection,
  type ReconcileEvent,
  type Reconciler,
  type RuntimeMetrics,
} from "@bowline/runtime";

import { MetricsAgentFamily, type AgentFamily } from "../reconcile/agent-family.ts";
import { AgentReconciler } from "../reconcile/agent-reconciler.ts";
import { AgentStatuses } from "../reconcile/agent-statuses.ts";
import { GrafanaAgentFamily } from "../reconcile/grafana-agent-family.ts";
import { InstanceReconciler } from "../reconcile/instance-reconciler.ts";
import { TargetReconciler } from "../reconcile/target-reconciler.ts";
import { InstanceReports } from "../status/instance-reports.ts";
import { ExpectedTargets, uncountedTargets } from "../targets/expected-targets.ts";
import { FactCache } from "../targets/fact-cache.ts";
import { AgentInterests } from "../watch/agent-interests.ts";
import { ClusterCache, FamilyCache } from "../watch/cluster-cache.ts";
import { ReferencedValues } from "../watch/referenced-values.ts";
import { ObjectWriter } from "../write/object-writer.ts";
import { addInformers } from "./add-informers.ts";
import { familySources } from "./family-sources.ts";

export interface OperatorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly imageRepository: string;
  readonly record: (event: EventInput) => void;
  /** Another operator whose custom resources are worked on as well. */
  readonly compat?: "grafana-agent" | undefined;
  /** Where to look; all of the cluster without it. */
  readonly namespaces?: readonly string[] | undefined;
  /** How many agents are worked on at the same time. */
  readonly concurrency?: number;
  /** Whether the targets of agents are counted, as they are by default. */
  readonly countsTargets?: boolean;
  /** How often those of an agent are counted at most; every ten seconds by default. */
  readonly recountMs?: number;
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
  const { client, clock, random, metrics, leaderElection, onTransition, compat } = options;
  const cache = new ClusterCache(options);
  const writer = new ObjectWriter(client);
  const facts = new FactCache({ ...options, transport: client.transport });
  const own = partsOf(new MetricsAgentFamily(client), { ...options, cache, facts });
  const foreign =
    compat === undefined
      ? []
      : [partsOf(new GrafanaAgentFamily(client, writer), { ...options, cache, facts })];
  const families = [own, ...foreign];
  const values = new ReferencedValues({
    client,
    metadataOf: ({ kind, namespace, name }) =>
      (kind === "Secret" ? cache.secrets : cache.configMaps).get(namespace, name),
    isReferredTo: (kind, object) => families.some(({ interests }) => interests.isReferredTo(kind, object)),
  });
  const manager = new Manager({
    name: "operator",
    clock,
    random,
    ...(leaderElection === undefined ? {} : { leaderElection }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(onTransition === undefined ? {} : { onTransition }),
  });
  addInformers(manager, { ...options, cache, families });
  manager.addInformer("targets", facts);
  const discovery = new Discovery(client, { clock });
  const endpointSliceSupported = async (): Promise<boolean> =>
    (await discovery.findKind(resources.endpointSlices)) !== undefined;
  for (const parts of families) {
    const all = { ...options, ...parts, cache, values, writer, endpointSliceSupported };
    manager.addController(newController(parts.family.name, new AgentReconciler(all), options), {
      sources: familySources(all),
    });
    addTargetController(manager, parts, options);
  }
  const { familyCache, reports } = own;
  const instances = new InstanceReconciler({ client, cache: familyCache, reports, clock });
  manager.addController(newController("metrics-instance", instances, options), {
    sources: [informerSource(familyCache.instances, enqueueSelf(), generationChanged()), reports],
  });
  return manager;
}

/** A family with all that belongs to it alone, so that agents of equal names in two of them do not meet. */
interface FamilyParts {
  readonly family: AgentFamily;
  readonly familyCache: FamilyCache;
  readonly interests: AgentInterests;
  readonly reports: InstanceReports;
  readonly targets: ExpectedTargets | typeof uncountedTargets;
  readonly statuses: AgentStatuses;
}

const defaultRecountMs = 10_000;

interface FamilyOptions extends OperatorOptions {
  readonly cache: ClusterCache;
  readonly facts: FactCache;
}

function partsOf(family: AgentFamily, { cache, facts, clock, ...options }: FamilyOptions): FamilyParts {
  const { countsTargets = true, recountMs = defaultRecountMs } = options;
  const targets = countsTargets
    ? new ExpectedTargets({ family: family.name, cache: facts, clock, recountMs })
    : uncountedTargets;
  return {
    family,
    familyCache: new FamilyCache(family, cache),
    interests: new AgentInterests(() => cache.namespaceLabels()),
    reports: new InstanceReports(),
    targets,
    statuses: new AgentStatuses({ family, targets, clock }),
  };
}

/** A controller of its own: what pods do must never have a configuration made anew. */
function addTargetController(
  manager: Manager,
  { family, targets, statuses, reports }: FamilyParts,
  options: OperatorOptions,
): void {
  if (!(targets instanceof ExpectedTargets)) return;
  const { recountMs = defaultRecountMs } = options;
  const reconciler = new TargetReconciler({ targets, statuses, reports, recountMs });
  manager.addController(newController(`${family.name}-targets`, reconciler, options), { sources: [targets] });
}

function newController(name: string, reconciler: Reconciler, options: OperatorOptions): Controller {
  const { concurrency = 4, onReconciled, metrics } = options;
  return new Controller({
    ...options,
    name,
    reconciler,
    concurrency,
    // An obstacle such as a webhook or a quota may go without an event, so it is tried again every five minutes.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    // Failures that only a person can mend are in the conditions before the reconciler gives up.
    onDeadLetter: () => {},
    ...(metrics === undefined ? {} : { metrics }),
    ...(onReconciled === undefined ? {} : { onReconciled }),
  });
}

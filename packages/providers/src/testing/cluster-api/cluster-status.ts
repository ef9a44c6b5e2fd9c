/** The contract and the age of a Cluster API, which decide about the words of its status. */
export interface StatusForm {
  readonly version: "v1beta1" | "v1beta2";
  /** With v1beta1: whether it has the newer conditions besides, as it does since 1.9. */
  readonly hasNewConditions?: boolean;
}

/** How far a cluster is; kept in `status.phase`, whose words are not part of the contract. */
export type ClusterPhase =
  | "Pending"
  | "InfrastructureReady"
  | "ControlPlaneInitialized"
  | "Running"
  | "Changing"
  | "Deleting";

const growth: readonly ClusterPhase[] = [
  "Pending",
  "InfrastructureReady",
  "ControlPlaneInitialized",
  "Running",
];

/** The phase after this one. A change of the spec is seen with one step, and done with the next. */
export function phaseAt(
  phase: unknown,
  { isSeen, stallsAt }: { readonly isSeen: boolean; readonly stallsAt: ClusterPhase | undefined },
): ClusterPhase {
  if (phase === stallsAt && stallsAt !== undefined) return stallsAt;
  if (phase === "Running") return isSeen ? "Running" : "Changing";
  if (phase === "Changing") return "Running";
  const at = growth.findIndex((each) => each === phase);
  return growth[at + 1] ?? "Running";
}

interface StatusFacts {
  readonly generation: number;
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  readonly holdsDeletion: string | undefined;
}

interface Said {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What Cluster API writes into a status at that phase. */
export function clusterStatus(form: StatusForm, phase: ClusterPhase, facts: StatusFacts): object {
  const { generation, failure } = facts;
  const reached = phase === "Changing" || phase === "Deleting" ? growth.length : growth.indexOf(phase);
  const [hasInfrastructure, hasControlPlane, isRunning] = [reached >= 1, reached >= 2, reached >= 3];
  const failed =
    failure === undefined ? {} : { failureReason: failure.reason, failureMessage: failure.message };
  const newer = newConditions(phase, facts, { hasInfrastructure, hasControlPlane, isRunning });
  const older = oldConditions(phase, { hasInfrastructure, hasControlPlane });
  const common = { phase, observedGeneration: generation };
  if (form.version === "v1beta2") {
    return {
      ...common,
      initialization: {
        infrastructureProvisioned: hasInfrastructure,
        controlPlaneInitialized: hasControlPlane,
      },
      conditions: newer,
      deprecated: { v1beta1: { conditions: older, ...failed } },
    };
  }
  return {
    ...common,
    ...failed,
    infrastructureReady: hasInfrastructure,
    controlPlaneReady: hasControlPlane,
    conditions: older,
    ...(form.hasNewConditions === true ? { v1beta2: { conditions: newer } } : {}),
  };
}

interface Reached {
  readonly hasInfrastructure: boolean;
  readonly hasControlPlane: boolean;
  readonly isRunning?: boolean;
}

function newConditions(
  phase: ClusterPhase,
  { generation, holdsDeletion }: StatusFacts,
  { hasInfrastructure, hasControlPlane, isRunning = false }: Reached,
): object[] {
  const isChanging = phase === "Changing";
  const said: Said[] = [
    condition("InfrastructureReady", hasInfrastructure, "NotReady", "* The load balancer\n  is being made"),
    condition("ControlPlaneInitialized", hasControlPlane, "NotInitialized", "No machine has answered yet"),
    condition("ControlPlaneAvailable", isRunning, "NotAvailable", "1 of 1 machines are starting"),
    condition(
      "WorkerMachinesReady",
      isRunning,
      "NotReady",
      "* Machine md-1:\n  * NodeHealthy: Node is missing",
    ),
    condition("RollingOut", isChanging, "NotRollingOut", "Rolling out 1 not up-to-date replicas"),
    condition("Deleting", phase === "Deleting", "NotDeleting", holdsDeletion ?? ""),
    condition("Available", isRunning && phase !== "Deleting", "NotAvailable", ""),
  ];
  return said.map(({ type, isTrue, reason, message }) => ({
    type,
    status: isTrue ? "True" : "False",
    reason,
    message,
    observedGeneration: generation,
    lastTransitionTime,
  }));
}

function oldConditions(phase: ClusterPhase, { hasInfrastructure, hasControlPlane }: Reached): object[] {
  const said: Said[] = [
    condition(
      "InfrastructureReady",
      hasInfrastructure,
      "WaitingForLoadBalancer",
      "The load balancer is made",
    ),
    condition("ControlPlaneInitialized", hasControlPlane, "WaitingForMachine", "No machine has answered yet"),
    condition("ControlPlaneReady", hasControlPlane, "WaitingForMachine", ""),
    condition("TopologyReconciled", phase !== "Changing", "ControlPlaneUpgradePending", "1 machine is old"),
    condition("Ready", hasControlPlane, "WaitingForMachine", "No machine has answered yet"),
  ];
  return said.map(({ type, isTrue, reason, message }) => ({
    type,
    status: isTrue ? "True" : "False",
    ...(isTrue ? {} : { severity: "Info", reason, message }),
    lastTransitionTime,
  }));
}

/** No test is about the time of a transition. */
const lastTransitionTime = "2026-01-01T00:00:00Z";

/** The reason and the message belong to what is not so, or not usual. */
function condition(type: string, isTrue: boolean, reason: string, message: string): Said {
  return { type, isTrue, reason, message };
}

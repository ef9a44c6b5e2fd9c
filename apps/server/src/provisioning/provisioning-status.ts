import type { Cluster, StatusOf } from "@bowline/api";
import { clusterConditions, type ConditionStatement } from "@bowline/gateway";
import type { ProviderAnswer, ProviderState, ProviderStep, ResourceRecord } from "@bowline/providers";
import { findCondition, setCondition } from "@bowline/runtime";
import { shortened } from "@bowline/core";

type ClusterStatus = StatusOf<typeof Cluster>;
type Provisioning = NonNullable<ClusterStatus["provisioning"]>;
export type ProvisioningState = Provisioning["state"];

/** What was found out about a cluster that is made. */
export interface Finding {
  readonly state: ProvisioningState;
  readonly provisioned: ConditionStatement;
  readonly progress: ConditionStatement;
  /** Left as it is when missing. */
  readonly agent?: ConditionStatement | undefined;
  readonly step?: ProviderStep | undefined;
  /** The step begins anew, though it is called as the one before. */
  readonly isNewStep?: boolean;
  readonly leftOver?: readonly string[] | undefined;
}

/** Numbers about it that do not come from the last answer. */
export interface FindingContext {
  readonly generation: number;
  readonly nowMs: number;
  readonly resources: number;
  readonly hourlyCost: string | undefined;
}

/** Whether the status tells of anything that was made once. */
export function wasBegun({ agent, provisioning }: ClusterStatus): boolean {
  return agent !== undefined || (provisioning?.resources ?? 0) > 0;
}

/** How many things there are outside. Without any records nobody knows, and what was told last still shows that there were some. */
export function resourcesOf(records: readonly ResourceRecord[], { provisioning }: ClusterStatus): number {
  if (records.length === 0) return provisioning?.resources ?? 0;
  return records.filter(({ state }) => state !== "gone").length;
}

const onePascalWord = /^[A-Z][A-Za-z0-9]{0,127}$/u;
const maxStepText = 253;
const maxLeftOver = 100;
const maxNameLength = 2_048;

export function statement(
  status: ConditionStatement["status"],
  reason: string,
  message = "",
): ConditionStatement {
  return { status, reason, message };
}

const provisioned = statement("True", "Provisioned");
const noProgress = statement("False", "Done");

/** What an answer says of the cluster. One that is there stays there while a person is asked for something. */
export function findingOf(answer: ProviderAnswer, before: ClusterStatus): Finding {
  const { state, message = answer.step?.text ?? sentences[state], step, leftOver } = answer;
  const reason = reasonOf(answer);
  const was = findCondition(before.conditions, "Provisioned");
  const working = (next: ProvisioningState): Omit<Finding, "step" | "leftOver"> => ({
    state: next,
    provisioned: statement("False", reason, message),
    progress: statement("True", reason, message),
  });
  const findings: Readonly<Record<ProviderState, () => Omit<Finding, "step" | "leftOver">>> = {
    creating: () => working("Creating"),
    updating: () => ({ ...working("Updating"), provisioned }),
    ready: () => ({ state: "Provisioned", provisioned, progress: noProgress }),
    blocked: () => ({
      state: "Blocked",
      provisioned: was?.status === "True" ? provisioned : statement("False", reason, message),
      progress: statement("False", reason, message),
    }),
    lost: () => ({
      state: "Lost",
      provisioned: statement("False", reason, message),
      progress: statement("False", reason, message),
    }),
    deleting: () => working("Deleting"),
    gone: () => working("Deleting"),
  };
  return { ...findings[state](), step, leftOver };
}

const defaultReasons: Readonly<Record<ProviderState, string>> = {
  creating: "Creating",
  updating: "Updating",
  ready: "Provisioned",
  blocked: "Blocked",
  lost: "Lost",
  deleting: "DeletingCluster",
  gone: "LeftOver",
};

const sentences: Readonly<Record<ProviderState, string>> = {
  creating: "The cluster is being made.",
  updating: "The cluster is being changed.",
  ready: "",
  blocked: "The provider waits for a person to do something.",
  lost: "The cluster was there, and is gone; it is not made again by itself. Delete its object, and create it anew if it is wanted.",
  deleting: "The cluster is being deleted.",
  gone: "Some of it is still there.",
};

export function isProviderState(state: unknown): state is ProviderState {
  return typeof state === "string" && Object.hasOwn(sentences, state);
}

/** Programs compare reasons; what is no word is left out. */
function reasonOf({ state, reason }: ProviderAnswer): string {
  return reason !== undefined && onePascalWord.test(reason) ? reason : defaultReasons[state];
}

/** The status that says so. */
export function withFinding(
  status: ClusterStatus,
  finding: Finding,
  { generation, nowMs, resources, hourlyCost }: FindingContext,
): ClusterStatus {
  const { state, step, leftOver = [] } = finding;
  const provisioning: Provisioning = {
    state,
    ...(step === undefined
      ? {}
      : { step: stepOf(step, finding.isNewStep === true ? undefined : status.provisioning?.step, nowMs) }),
    ...(hourlyCost === undefined ? {} : { hourlyCost }),
    resources,
    ...(leftOver.length === 0 ? {} : { leftOver: leftOver.slice(0, maxLeftOver).map(nameOf) }),
  };
  const progress = { type: "Progress", ...finding.progress, observedGeneration: generation };
  const conditions = clusterConditions(
    [...setCondition(status.conditions, progress, nowMs)],
    {
      Provisioned: finding.provisioned,
      ...(finding.agent === undefined ? {} : { AgentConnected: finding.agent }),
    },
    { generation, nowMs },
  );
  return { ...status, provisioning, conditions };
}

/** A step began when it was first told of, and not in the future: a clock that was ahead would have it wait that long. */
function stepOf(
  { number, of, text, expectedSeconds }: ProviderStep,
  before: Provisioning["step"],
  nowMs: number,
): NonNullable<Provisioning["step"]> {
  const shown = oneLine(text, maxStepText);
  const isSame = before?.number === number && before.text === shown;
  return {
    number: within(number, 1, 10_000),
    of: within(of, 1, 10_000),
    text: shown,
    since: isSame && Date.parse(before.since) <= nowMs ? before.since : new Date(nowMs).toISOString(),
    ...(expectedSeconds === undefined ? {} : { expectedSeconds: within(expectedSeconds, 0, 86_400) }),
  };
}

function nameOf(name: string): string {
  return oneLine(name, maxNameLength);
}

function oneLine(text: string, longest: number): string {
  return shortened(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim() || "…", longest);
}

function within(number: number, least: number, most: number): number {
  return Number.isFinite(number) ? Math.min(most, Math.max(least, Math.round(number))) : least;
}

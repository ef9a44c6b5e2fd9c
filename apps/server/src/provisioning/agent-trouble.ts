import { asRecord, shortened } from "@bowline/core";
import type { ConditionStatement } from "@bowline/gateway";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";

import { statement } from "./provisioning-status.ts";

interface Place {
  readonly namespace: string;
  /** Where the agent looks for the server. */
  readonly server: string;
  readonly signal: AbortSignal;
}

const labelSelector = "app.kubernetes.io/name=bowline-agent";
const maxObjects = 50;
const maxTextLength = 1_024;
/** Reasons that the kubelet gives for an image that it does not get. */
const imageReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "RegistryUnavailable",
]);

/** Finds out why an agent that was installed does not come, by its pods and the events of its namespace. */
export async function agentTrouble(
  client: KubeClient,
  { namespace, server, signal }: Place,
): Promise<ConditionStatement> {
  const place = { namespace, limit: maxObjects, signal };
  const [{ items: pods }, { items: events }] = await Promise.all([
    client.list(resources.pods, { ...place, labelSelector }),
    client.list(resources.coreEvents, place),
  ]);
  const warning = lastWarning(events);
  const newest = pods.toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1))[0];
  const said = warning === undefined ? "" : ` Kubernetes says: ${shortened(warning, maxTextLength)}`;
  if (newest === undefined) {
    return statement("False", "AgentNotStarted", `There is no pod of the agent in ${namespace}.${said}`);
  }
  return podTrouble(newest, said) ?? connectionTrouble(server, said);
}

function podTrouble(pod: KubeObject, said: string): ConditionStatement | undefined {
  const status = asRecord(pod["status"]);
  for (const each of listOf(status["containerStatuses"])) {
    const { reason, message } = asRecord(asRecord(asRecord(each)["state"])["waiting"]);
    if (typeof reason !== "string" || reason === "ContainerCreating") continue;
    const text = `${reason}${typeof message === "string" ? `: ${shortened(message, maxTextLength)}` : ""}`;
    if (imageReasons.has(reason)) {
      const image = textIn(asRecord(each)["image"]);
      const advice = "Have the server's setting agent.image name an image that the cluster can pull.";
      return statement(
        "False",
        "AgentImageNotPulled",
        `The image ${image} cannot be pulled (${text}). ${advice}`,
      );
    }
    return statement("False", "AgentCrashes", `The agent does not stay up (${text}).${lastEnd(each)}${said}`);
  }
  const scheduled = listOf(status["conditions"])
    .map(asRecord)
    .find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (scheduled !== undefined) {
    const why = shortened(textIn(scheduled["message"] ?? scheduled["reason"]), maxTextLength);
    return statement("False", "AgentNotScheduled", `No node takes the pod of the agent: ${why}`);
  }
  if (status["phase"] === "Running") return undefined;
  const phase = textIn(status["phase"] ?? "Pending");
  return statement("False", "AgentNotStarted", `The pod of the agent is ${phase}.${said}`);
}

function connectionTrouble(server: string, said: string): ConditionStatement {
  const message = `The agent runs and has not come: look whether pods of the cluster reach ${server}, whether its certificate is the one that the agent was told of, and whether the clocks agree.${said}`;
  return statement("False", "AgentCannotReachServer", message);
}

/** What a container said when it ended last. */
function lastEnd(container: unknown): string {
  const { message, exitCode } = asRecord(asRecord(asRecord(container)["lastState"])["terminated"]);
  if (typeof message === "string") return ` It said: ${shortened(message, maxTextLength)}`;
  return typeof exitCode === "number" ? ` It ended with ${exitCode}.` : "";
}

function lastWarning(events: readonly KubeObject[]): string | undefined {
  const warnings = events.filter(({ type }) => type === "Warning");
  const [last] = warnings.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return last === undefined ? undefined : textIn(last["message"]);
}

function timeOf(event: KubeObject): string {
  return textIn(event["lastTimestamp"] ?? event["eventTime"] ?? createdAt(event));
}

function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? "";
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

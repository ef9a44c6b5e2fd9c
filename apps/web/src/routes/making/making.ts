import type { Cluster } from "@bowline/api";

type Provisioning = NonNullable<Cluster["status"]["provisioning"]>;
type MakingState = Provisioning["state"];

/** Whether Bowline makes a cluster, and has not only been told of it. */
export function isMade({ spec }: Pick<Cluster, "spec">): boolean {
  return spec.provider !== "existing";
}

/** States in words, as heads of what is told of them. */
const words: Readonly<Record<MakingState, string>> = {
  Pending: "Waiting to be made",
  Creating: "Being made",
  Provisioned: "Made; its agent cannot be installed yet",
  Joining: "Made; its agent is on its way",
  Ready: "Made",
  Updating: "Being changed",
  Blocked: "Needs a person",
  Lost: "Lost",
  Deleting: "Being deleted",
};

export function stateWords({ metadata, status }: Pick<Cluster, "metadata" | "status">): string {
  const state = status.provisioning?.state ?? (metadata.deletedAt === undefined ? "Pending" : "Deleting");
  return words[state];
}

/** As much of a step as may seem done by its time alone: it is done when the provider says so. */
const mostOfStep = 0.95;

/** How much of all steps is done, from 0 to 1, as far as their number and the usual time of this one tell. */
export function partDone(step: NonNullable<Provisioning["step"]>, nowMs: number): number {
  const { number, of, since, expectedSeconds = 0 } = step;
  const forMs = Math.max(0, nowMs - Date.parse(since));
  const share = expectedSeconds > 0 ? Math.min(mostOfStep, forMs / (expectedSeconds * 1_000)) : 0;
  return Math.min(1, (number - 1 + (Number.isFinite(share) ? share : 0)) / Math.max(of, number));
}

/** A step may take twice as long as usual before anybody wonders. */
const patience = 2;

export function isSlow(
  { since, expectedSeconds }: NonNullable<Provisioning["step"]>,
  nowMs: number,
): boolean {
  if (expectedSeconds === undefined || expectedSeconds === 0) return false;
  return nowMs - Date.parse(since) > patience * expectedSeconds * 1_000;
}

/** Something that is in the way of a cluster, and what a person does about it. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
  readonly advice: string;
}

const againByItself = "Once that is mended it goes on by itself, within a minute.";

/** By the reasons of `docs/reference/provisioning.md`; a test holds both together. */
export const adviceByReason: Readonly<Record<string, string>> = {
  QuotaTooLow: `Ask the cloud for a higher quota, or delete what takes it. ${againByItself}`,
  NotPermitted: `Give the identity that is used the rights that the message names. ${againByItself}`,
  NameTaken: `Rename or delete what has the name, or create the cluster under another one. ${againByItself}`,
  CredentialMissing: `Make a Credential of that name, with bowline apply. ${againByItself}`,
  ProviderUnavailable:
    "Whoever runs the server can set the provider up, as the message says. Or delete this cluster, and create it with another provider.",
  ProviderProgramFailed:
    "The message has what the program said last; it is tried again, with pauses that grow.",
  LeftOver:
    "Delete what is listed by hand, or wait: it is looked for each minute, and the object goes when nothing is left.",
  AgentImageNotPulled: "The setting agent.image of the server names another image.",
  AgentNotScheduled: "Its machines have no room, or a taint that keeps the agent away.",
  AgentCrashes: "The logs of its pod tell why: kubectl -n bowline-system logs deployment/bowline-agent.",
  AgentCannotReachServer:
    "Look at the network from its machines to this server, its certificate and the clocks.",
  WaitingForJoin: "It is tried again; or install the agent with the command in the message.",
};

const blockedAdvice = `Do what the message asks for. ${againByItself}`;
const lostAdvice =
  "It is not made again by itself, because its data would be missing: delete it here, and create it anew if it is wanted.";

/** What keeps a cluster that is made from going on; undefined while it does. */
export function troubleOf({ status }: Pick<Cluster, "status">): Trouble | undefined {
  const { state, leftOver = [] } = status.provisioning ?? {};
  const condition = (type: string): Cluster["status"]["conditions"][number] | undefined =>
    status.conditions.find((each) => each.type === type);
  const progress = condition("Progress");
  const provisioned = condition("Provisioned");
  const agent = condition("AgentConnected");
  const stuck = (told: typeof progress, usual: string): Trouble => ({
    reason: told?.reason ?? "",
    message: told?.message ?? "",
    advice: adviceFor(told?.reason) ?? usual,
  });
  if (state === "Lost") return { ...stuck(progress, lostAdvice), advice: lostAdvice };
  if (state === "Blocked") return stuck(progress, blockedAdvice);
  if (leftOver.length > 0) return stuck(progress ?? provisioned, adviceByReason["LeftOver"] ?? "");
  if (provisioned?.status === "False" && adviceFor(provisioned.reason) !== undefined) {
    return stuck(provisioned, "");
  }
  const isWaiting = state === "Provisioned" || state === "Joining";
  const told = isWaiting && agent?.status !== "True" ? adviceFor(agent?.reason) : undefined;
  return told === undefined ? undefined : stuck(agent, told);
}

function adviceFor(reason: string | undefined): string | undefined {
  return reason !== undefined && Object.hasOwn(adviceByReason, reason) ? adviceByReason[reason] : undefined;
}

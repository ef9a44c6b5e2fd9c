import type { EventInput, EventSubject } from "@bowline/kube";
import { formatRef, refOf, type MetricsAgentStatus } from "@bowline/monitoring";

import type { MetricsAgent } from "../objects/kinds.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { Changes } from "../write/write-objects.ts";
import { sentenceOf } from "./agent-conditions.ts";
import type { RejectedObject } from "./outcome.ts";

/** Finds an object that a status names, for its UID. */
type FindSubject = (object: string) => EventSubject | undefined;

/**
 * The events to record after a reconcile: what has changed, and each object that is left out from now on. That one is
 * about the object, where its owner looks; the agent's owner finds it in the conditions.
 */
export function eventsOf(
  agent: MetricsAgent,
  changes: Changes,
  { rejected = [] }: MetricsAgentStatus,
  find: FindSubject,
): EventInput[] {
  const known = new Set((agent.status?.rejected ?? []).map(sentenceOf));
  const fresh = rejected.filter((each) => !known.has(sentenceOf(each)));
  return [
    ...changesOf(changes).map(([reason, note]): EventInput => ({
      regarding: agent,
      type: "Normal",
      reason,
      action: "Reconciling",
      note,
    })),
    ...fresh.map((each) => rejection(agent, each, find)),
  ];
}

function rejection(agent: MetricsAgent, rejected: RejectedObject, find: FindSubject): EventInput {
  const subject = find(rejected.object);
  return {
    regarding: subject ?? agent,
    ...(subject === undefined ? {} : { related: agent }),
    type: "Warning",
    reason: "Rejected",
    action: "Rendering",
    note: `${sentenceOf(rejected)} (${agent.kind} ${agent.metadata.namespace}/${agent.metadata.name})`,
  };
}

function changesOf({ config, created, recreated, pruned }: Changes): [string, string][] {
  const several = (names: readonly string[]): string => names.join(", ");
  return [
    ...(config ? [["ConfigurationWritten", "The configuration was written."] as [string, string]] : []),
    ...(created.length > 0 ? [["Created", `Created ${several(created)}.`] as [string, string]] : []),
    ...(recreated.length > 0
      ? [["Recreated", `Made anew, around the same pods: ${several(recreated)}.`] as [string, string]]
      : []),
    ...(pruned.length > 0 ? [["Pruned", `Deleted ${several(pruned)}.`] as [string, string]] : []),
  ];
}

/** The event that an agent could not be brought to what it should be; none where the report asks for none. */
export function failureEvent(
  agent: MetricsAgent,
  {
    event,
    reason,
    message,
  }: { readonly event: "Normal" | "Warning" | "none"; readonly reason: string; readonly message: string },
): EventInput[] {
  return event === "none"
    ? []
    : [{ regarding: agent, type: event, reason, action: "Reconciling", note: message }];
}

/** Looks objects up by what a status calls them. */
export function findSubject(objects: readonly SelectedObject[]): FindSubject {
  let byName: Map<string, EventSubject> | undefined;
  return (name) => {
    // Mostly nobody asks.
    byName ??= new Map(objects.map((object) => [formatRef(refOf(object)), object]));
    return byName.get(name);
  };
}

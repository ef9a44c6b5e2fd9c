import type { EventInput, EventSubject } from "@bowline/kube";
import { formatRef, type MetricsAgentStatus, type UnusedField } from "@bowline/monitoring";
import type { ConditionUpdate } from "@bowline/runtime";

import type { MetricsAgent } from "../objects/kinds.ts";

type Listed = NonNullable<MetricsAgentStatus["withoutMeaning"]>[number];

/** An agent or an instance of another operator, and what it has that means nothing here. */
export interface ForeignObject {
  readonly object: EventSubject & {
    readonly metadata: { readonly name: string; readonly namespace: string };
  };
  readonly fields: readonly UnusedField[];
}

/** An object in etcd is bounded; the schema of the status says the same. */
const maxListed = 100;
const maxPathLength = 1024;
const namedAtMost = 5;

/** The list in the status of an agent: its own fields by their paths, those of instances with the instance before. */
export function listUnusedFields(agent: MetricsAgent, found: readonly ForeignObject[]): Listed[] {
  return found.flatMap((each) => listed(agent, each)).slice(0, maxListed);
}

export function allFieldsUsed(found: readonly ForeignObject[]): Omit<ConditionUpdate, "observedGeneration"> {
  const type = "AllFieldsUsed";
  const paths = found.flatMap(({ object, fields }) =>
    fields.map(({ path }) => `${path} of the ${formatRef(refOf(object))}`),
  );
  if (paths.length === 0) return { type, status: "True", reason: "AllUsed", message: "" };
  const named = paths.slice(0, namedAtMost).join(", ");
  const more = paths.length > namedAtMost ? ` and ${paths.length - namedAtMost} more` : "";
  const message = `These fields mean nothing here and are passed over: ${named}${more}.`;
  return { type, status: "False", reason: "WithoutMeaning", message };
}

/** One event about each object that has such fields which were not known before. */
export function unusedFieldEvents(agent: MetricsAgent, found: readonly ForeignObject[]): EventInput[] {
  const known = new Set((agent.status?.withoutMeaning ?? []).map(({ path }) => path));
  // Fields that the status has no room for would be new each time.
  const shown = listUnusedFields(agent, found).map(({ path }) => path);
  const fresh = new Set(shown.filter((path) => !known.has(path)));
  return found
    .filter((each) => listed(agent, each).some(({ path }) => fresh.has(path)))
    .map(({ object, fields }): EventInput => {
      const named = fields.map(({ path, reason }) => `${path}: ${reason}`);
      return {
        regarding: object,
        type: "Warning",
        reason: "WithoutMeaning",
        action: "Reading",
        note: `Fields that mean nothing here are passed over. ${named.join(" ")}`,
      };
    });
}

function listed(agent: MetricsAgent, { object, fields }: ForeignObject): Listed[] {
  const owner = object.metadata.uid === agent.metadata.uid ? "" : `${formatRef(refOf(object))} `;
  return fields.map(({ path, reason }) => ({ path: `${owner}${path}`.slice(0, maxPathLength), reason }));
}

function refOf({
  kind,
  metadata: { namespace, name },
}: ForeignObject["object"]): Parameters<typeof formatRef>[0] {
  return { kind, namespace, name };
}

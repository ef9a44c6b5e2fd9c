import { checkUpdate, type ApiObject, type Kind, type ObjectOf } from "@bowline/api";
import { requireObjectAllowed, type Identity, type Verb } from "@bowline/auth";
import { BowlineError } from "@bowline/core";

import type { ConfigObject } from "./config-objects.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** The annotation by which a file takes over an object that is there already. */
const adoptAnnotation = "bowline.dev/adopt";

/** In whose name, and for which source, objects are written. */
export interface Acting {
  /** Name of the ConfigSource. */
  readonly source: string;
  readonly identity: Identity;
}

/** Problems of making an object what a file says; the same are looked for before the transaction and in it. */
export function writeProblems(
  { kind, desired, place, lineOf }: ConfigObject,
  current: ObjectOf<Kind> | undefined,
  acting: Acting,
): ConfigProblem[] {
  const object = `${kind.kind} ${desired.metadata.name}`;
  const forbidden = refusalOf(acting, current === undefined ? "create" : "update", kind, {
    current,
    desired,
  });
  const found: Pick<ConfigProblem, "reason" | "message" | "path">[] = [
    ...(forbidden === undefined ? [] : [{ reason: "NotAllowed" as const, message: forbidden }]),
    ...(current === undefined ? [] : currentProblems(desired, current, acting)),
    ...(current === undefined
      ? []
      : checkUpdate(kind, current, desired).map((problem) => ({
          reason: "InvalidObjects" as const,
          ...problem,
        }))),
  ];
  return found.map((problem) => ({ ...problem, ...place, line: lineOf(problem.path), object }));
}

/** Why the user may not delete an object; undefined when they may. */
export function deleteProblem(
  kind: Kind,
  current: ObjectOf<Kind>,
  acting: Acting,
): ConfigProblem | undefined {
  const message = refusalOf(acting, "delete", kind, { current });
  const object = `${kind.kind} ${current.metadata.name}`;
  return message === undefined ? undefined : { reason: "NotAllowed", object, message };
}

function currentProblems(
  desired: ConfigObject["desired"],
  current: ObjectOf<Kind>,
  { source }: Acting,
): Pick<ConfigProblem, "reason" | "message">[] {
  if (current.metadata.deletedAt !== undefined) {
    return [{ reason: "BeingDeleted", message: "an object of this name is still being deleted" }];
  }
  const { managedBy } = current.metadata;
  if (managedBy?.configSource === source) return [];
  const takes = adopts(desired);
  if (managedBy === undefined) {
    if (takes) return [];
    const message = `it is there already and nobody's; annotate it in the file with ${adoptAnnotation}: "true" to take it over`;
    return [{ reason: "OwnedByOther", message }];
  }
  // Of two sources that both want it, the first to have it keeps it, or it would go to and fro.
  if (takes && !adopts(current)) return [];
  const message = `it belongs to configsource/${managedBy.configSource} (${managedBy.repository}, ${managedBy.file}); take it out there`;
  return [{ reason: "OwnedByOther", message }];
}

function adopts({ metadata }: { readonly metadata: Pick<ApiObject["metadata"], "annotations"> }): boolean {
  return metadata.annotations[adoptAnnotation] === "true";
}

/** What the API would answer the user, if it would refuse. */
function refusalOf(
  { identity }: Acting,
  verb: Verb,
  kind: Kind,
  change: Parameters<typeof requireObjectAllowed>[3],
): string | undefined {
  try {
    requireObjectAllowed(identity, verb, kind, change);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof BowlineError) || thrown.code !== "Forbidden") throw thrown;
    const { user, role } = identity;
    return `the user "${user}" with the role ${role} may not ${verb} it: ${thrown.message.replace(/\.$/u, "")}`;
  }
}

import { SimStatusError } from "../store/sim-status-error.ts";
import { identityOf, type Manager } from "./managed-fields.ts";
import { printPath } from "./path-element.ts";

/** A field that another manager owns and that applying would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly string[];
}

export function conflictError(conflicts: readonly Conflict[]): SimStatusError {
  return new SimStatusError({
    code: 409,
    reason: "Conflict",
    message: conflictMessage(conflicts),
    details: {
      causes: conflicts.map(({ manager, path }) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${printManager(manager)}`,
        field: printPath(path),
      })),
    },
  });
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printManager(only.manager)}: ${printPath(only.path)}`;
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => identityOf(manager));
  const lines = [...byManager.keys()].toSorted().flatMap((identity) => {
    const group = byManager.get(identity) ?? [];
    const [first] = group;
    const title = first === undefined ? [] : [`conflicts with ${printManager(first.manager)}:`];
    return [...title, ...group.map(({ path }) => `- ${printPath(path)}`)];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printManager({ name, operation, apiVersion, subresource }: Manager): string {
  const quoted =
    JSON.stringify(name) + (subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === "Update" ? `${quoted} using ${apiVersion}` : quoted;
}

import { mergePatch } from "@bowline/api";
import { useMemo, type ReactNode } from "react";

import { changedPaths, editablePart, orderedLike, pathText, type Path } from "../../kube/change-patch.ts";
import { ownersOf, type FieldOwner } from "../../kube/field-owners.ts";
import { fieldManager } from "../../kube/objects.ts";
import { linesOf, yamlText } from "../../kube/yaml-text.ts";
import { cleanText } from "../../text/clean-text.ts";
import { DiffView, type LineNote } from "../../ui/code/diff-view.tsx";
import type { Edit } from "./edit-state.ts";

type Reviewed = Extract<Edit, { readonly step: "review" }>;

/** What would become of the object, who else writes the fields that change, and what the cluster adds by itself. */
export function ReviewEdit({ edit }: { edit: Reviewed }): ReactNode {
  const { before, after, notes, owned, added } = useMemo(() => reviewOf(edit), [edit]);
  return (
    <div className="flex h-full flex-col">
      <div className="space-y-1 px-4 pb-2">
        {before === after && (
          <p className="text-muted">The cluster makes nothing of it: the object stays as it is.</p>
        )}
        {owned.map(({ path, owners }) => (
          <p key={path} className="text-missing">
            <code>{cleanText(path, 200)}</code> is also written by {cleanText(owners, 300)}
          </p>
        ))}
        {added.length > 0 && (
          <p className="text-muted">
            Added by the cluster, by defaults or webhooks: <code>{cleanText(added.join(", "), 400)}</code>
          </p>
        )}
      </div>
      <div className="min-h-0 flex-1">
        <DiffView label="What would change" before={before} after={after} notes={notes} />
      </div>
    </div>
  );
}

interface Review {
  readonly before: string;
  readonly after: string;
  readonly notes: readonly LineNote[];
  readonly owned: readonly { readonly path: string; readonly owners: string }[];
  /** Paths that nobody typed. */
  readonly added: readonly string[];
}

function reviewOf({ base, result, patch }: Reviewed): Review {
  const before = editablePart(base);
  const after = editablePart(result);
  const meant = mergePatch(before, patch);
  const paths = changedPaths(before, after);
  const others = paths.map((path) => ({ path, owners: ownerText(ownersOf(base, path)) }));
  const owned = others.filter(({ owners }) => owners !== "");
  const text = yamlText(orderedLike(after, before));
  const lines = linesOf(
    text,
    owned.map(({ path }) => path),
  );
  return {
    before: yamlText(before),
    after: text,
    notes: owned.flatMap(({ owners }, index) => {
      const line = lines[index];
      return line === undefined ? [] : [{ line, text: cleanText(`written by ${owners}`, 120) }];
    }),
    owned: owned.map(({ path, owners }) => ({ path: pathText(path), owners })),
    added: addedPaths(meant, after).map(pathText),
  };
}

/** Values of Secrets that are written anew are told apart from what was typed by a word only. */
function addedPaths(meant: unknown, after: unknown): Path[] {
  return changedPaths(meant, after).filter(([first]) => first !== "data" && first !== "stringData");
}

function ownerText(owners: readonly FieldOwner[]): string {
  return owners
    .filter(({ manager }) => manager !== fieldManager)
    .map(({ manager, subresource }) => {
      const text = subresource === undefined ? manager : `${manager} (${subresource})`;
      return manager === "bowline" ? `${text}, which will set it back` : text;
    })
    .join("; ");
}

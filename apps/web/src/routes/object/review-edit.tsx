import { useMemo, type ReactNode } from "react";

import { changedPaths, editablePart, orderedLike, pathText, type Path } from "../../kube/change-patch.ts";
import { ownersOf, type FieldOwner } from "../../kube/field-owners.ts";
import { fieldManager } from "../../kube/objects.ts";
import { linesOf, yamlText, type LineRange } from "../../kube/yaml-text.ts";
import { cleanText } from "../../text/clean-text.ts";
import { DiffView, type LineNote } from "../../ui/code/diff-view.tsx";
import type { Edit } from "./edit-state.ts";

type Reviewed = Extract<Edit, { readonly step: "review" }>;

/** What would become of the object, who else writes the fields that change, and what the cluster adds by itself. */
export function ReviewEdit({ edit }: { edit: Reviewed }): ReactNode {
  const { before, after, notes, tints, owned, added } = useMemo(() => reviewOf(edit), [edit]);
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
            Changed by the cluster, by defaults or webhooks: <code>{cleanText(added.join(", "), 400)}</code>
          </p>
        )}
        <Legend hasAdditions={added.length > 0} />
      </div>
      <div className="min-h-0 flex-1">
        <DiffView label="What would change" before={before} after={after} notes={notes} tints={tints} />
      </div>
    </div>
  );
}

/** What the colours of the lines mean. */
function Legend({ hasAdditions }: { hasAdditions: boolean }): ReactNode {
  const tints = [
    { look: "bg-healthy/15", text: "as you typed it" },
    { look: "bg-degraded/15", text: "goes" },
    ...(hasAdditions ? [{ look: "bg-unknown/20", text: "by the cluster: a default or a webhook" }] : []),
  ];
  return (
    <ul aria-label="What the colours mean" className="flex flex-wrap gap-x-4 text-muted">
      {tints.map(({ look, text }) => (
        <li key={text}>
          <span aria-hidden="true" className={`mr-1 inline-block size-3 border border-border ${look}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}

interface Review {
  readonly before: string;
  readonly after: string;
  readonly notes: readonly LineNote[];
  /** Lines that nobody typed. */
  readonly tints: readonly LineRange[];
  readonly owned: readonly { readonly path: string; readonly owners: string }[];
  /** Paths that nobody typed. */
  readonly added: readonly string[];
}

function reviewOf({ base, result, meant }: Reviewed): Review {
  const before = editablePart(base);
  const after = editablePart(result);
  const paths = changedPaths(before, after);
  const others = paths.map((path) => ({ path, owners: ownerText(ownersOf(base, path)) }));
  const owned = others.filter(({ owners }) => owners !== "");
  const added = addedPaths(meant, after);
  const text = yamlText(orderedLike(after, before));
  const pathsOf = owned.map(({ path }) => path);
  const lines = linesOf(text, [...pathsOf, ...added]);
  return {
    before: yamlText(before),
    after: text,
    notes: owned.flatMap(({ owners }, index) => {
      const line = lines[index]?.from;
      return line === undefined ? [] : [{ line, text: cleanText(`written by ${owners}`, 120) }];
    }),
    tints: added.flatMap((path, index) => {
      const range = lines[owned.length + index];
      // A field that the cluster took away has no lines: those of its nearest part are not its own.
      return range === undefined || !isThere(after, path) ? [] : [range];
    }),
    owned: owned.map(({ path, owners }) => ({ path: pathText(path), owners })),
    added: added.map(pathText),
  };
}

function isThere(value: unknown, path: Path): boolean {
  const found = path.reduce<unknown>(
    (inner, part) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
  return found !== undefined;
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

import { diff, formatRef, type RenderDiff } from "@bowline/monitoring";

import type { RenderedRoot } from "./render-roots.ts";

/** How the configuration of one root changed. */
export interface RootDiff {
  readonly root: string;
  readonly change: "none" | "added" | "removed" | "changed";
  /** Only where both sets have the root. */
  readonly diff?: RenderDiff;
}

/** Roots are compared by their names; one on each side are compared whatever they are called. */
export function compareRoots(before: readonly RenderedRoot[], after: readonly RenderedRoot[]): RootDiff[] {
  const [old, now] = [before[0], after[0]];
  if (old !== undefined && now !== undefined && before.length === 1 && after.length === 1) {
    return [compareTwo(old, now)];
  }
  const byName = new Map(before.map((root) => [formatRef(root.ref), root]));
  const kept = new Set(after.map(({ ref }) => formatRef(ref)));
  return [
    ...before
      .map(({ ref }) => formatRef(ref))
      .filter((root) => !kept.has(root))
      .map((root): RootDiff => ({ root, change: "removed" })),
    ...after.map((root): RootDiff => {
      const other = byName.get(formatRef(root.ref));
      return other === undefined ? { root: formatRef(root.ref), change: "added" } : compareTwo(other, root);
    }),
  ];
}

function compareTwo(before: RenderedRoot, after: RenderedRoot): RootDiff {
  const result = diff(before.result, after.result);
  const [from, to] = [formatRef(before.ref), formatRef(after.ref)];
  return {
    root: from === to ? to : `${from} → ${to}`,
    change: result.equal ? "none" : "changed",
    diff: result,
  };
}

import { createHash } from "node:crypto";

import type { Coverage, GraphItem, ObjectVersion, StoredVersion } from "../graph/graph.ts";
import type { GraphStore } from "../graph/graph-store.ts";

/** A Pod that says something, as an agent tells it. */
export function podFacts(uid: string, says: string, more: Partial<ObjectVersion> = {}): ObjectVersion {
  const facts = JSON.stringify({ says });
  const digest = createHash("sha256").update(facts).digest("hex").slice(0, 16);
  return { uid, group: "", kind: "Pod", namespace: "shop", name: `name-of-${uid}`, digest, facts, ...more };
}

export function coverage(kind: string, state: Coverage["state"], more: Partial<Coverage> = {}): Coverage {
  const message = state === "observed" ? "" : `${kind} is ${state}.`;
  return { group: "", kind, namespace: "", state, message, sinceMs: Number.MAX_SAFE_INTEGER, ...more };
}

type Part =
  | ObjectVersion
  | Coverage
  | { readonly gone: string }
  | { readonly view: string; readonly content: string };

/** Items as a batch has them; what objects say was observed at a time. */
export function graphItems(observedAtMs: number, parts: readonly Part[]): GraphItem[] {
  return parts.map((part, index): GraphItem => {
    if ("gone" in part) return { index, type: "gone", uid: part.gone };
    if ("view" in part) return { index, type: "view", name: part.view, content: part.content };
    return "facts" in part
      ? { index, type: "facts", object: part, observedAtMs }
      : { index, type: "coverage", coverage: part };
  });
}

/** Everything that is on some pages. */
export async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

/** What all objects said at a time, by their uids. */
export async function factsAt(
  graph: GraphStore,
  clusterId: string,
  timeMs: number,
): Promise<Record<string, string>> {
  return factsOf(await allOf(graph.at(clusterId, timeMs, 3)));
}

export function factsOf(versions: readonly StoredVersion[]): Record<string, string> {
  return Object.fromEntries(versions.map(({ uid, facts }) => [uid, String(JSON.parse(facts).says)]));
}

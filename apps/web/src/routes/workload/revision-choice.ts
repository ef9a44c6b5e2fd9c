import type { WorkloadRevision, WorkloadRevisionContent } from "@bowline/api";

interface ChosenIds {
  readonly from?: string;
  readonly to?: string;
}

interface ComparedRevisions<T> {
  readonly from: T | undefined;
  readonly to: T | undefined;
}

/** What is compared while nobody has said: the newest with the one before it. Those that are gone are not chosen any more. */
export function comparedRevisions<T extends Pick<WorkloadRevision, "id">>(
  items: readonly T[],
  { from, to }: ChosenIds,
): ComparedRevisions<T> {
  const found = (id: string | undefined): T | undefined => items.find((item) => item.id === id);
  const newest = found(to) ?? items[0];
  const at = newest === undefined ? 0 : items.indexOf(newest);
  return { from: found(from) ?? items[at + 1] ?? items.find((item) => item !== newest), to: newest };
}

/** Where the revisions of a definition are, or one of them. */
export function revisionsPath(definition: string, query: Readonly<Record<string, string>>, id = ""): string {
  const base = `/api/v1/workloaddefinitions/${encodeURIComponent(definition)}/revisions`;
  const path = id === "" ? base : `${base}/${encodeURIComponent(id)}`;
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The manifests as one text, as people write them; parameters are a part of what a revision says. */
export function revisionText(
  { manifests, parameters }: Pick<WorkloadRevisionContent, "manifests" | "parameters">,
  yamlText: (value: unknown) => string,
): string {
  const declared = parameters.length === 0 ? [] : [`# parameters\n${yamlText(parameters)}`];
  return [...declared, ...manifests.map((object) => yamlText(object))].join("---\n");
}

import { parseLabelSelector, printLabelSelector, type AccessGrant } from "@bowline/api";
import { labelRequirementsOf, type LabelRequirement } from "@bowline/core";

/** A grant as it is in a form: every field a text. */
export interface GrantDraft {
  readonly name: string;
  /** Names with commas or spaces between. */
  readonly users: string;
  /** One in each line: names of groups have spaces. */
  readonly groups: string;
  readonly by: "names" | "labels";
  readonly clusters: string;
  /** As `kubectl -l` takes it. */
  readonly labels: string;
  readonly asUser: string;
  readonly asGroups: string;
  readonly namespaces: string;
  /** As `<input type="datetime-local">` has it, in the zone of the browser; empty for never. */
  readonly endsAt: string;
}

type GrantSpec = AccessGrant["spec"];

export const emptyDraft: GrantDraft = {
  name: "",
  users: "",
  groups: "",
  by: "labels",
  clusters: "",
  labels: "",
  asUser: "",
  asGroups: "",
  namespaces: "",
  endsAt: "",
};

export function draftOf({ metadata, spec }: AccessGrant): GrantDraft {
  const { names, selector } = spec.clusters;
  return {
    name: metadata.name,
    users: textsOf(spec.subjects, "user").join(", "),
    groups: textsOf(spec.subjects, "group").join("\n"),
    by: names === undefined ? "labels" : "names",
    clusters: names?.join(", ") ?? "",
    labels: selector === undefined ? "" : printLabelSelector(labelRequirementsOf(selector)),
    asUser: spec.kubernetes.user ?? "",
    asGroups: spec.kubernetes.groups.join("\n"),
    namespaces: spec.namespaces?.join(", ") ?? "",
    endsAt: spec.expiresAt === undefined ? "" : localTime(spec.expiresAt),
  };
}

/** How a grant chooses clusters by their labels. */
export function selectorText({ clusters: { selector } }: GrantSpec): string {
  return selector === undefined ? "" : printLabelSelector(labelRequirementsOf(selector)) || "all";
}

/** The spec that a form means, or what is wrong with the field of that name. */
export function specOf(
  draft: GrantDraft,
): GrantSpec | { readonly field: keyof GrantDraft; readonly problem: string } {
  const subjects = [
    ...words(draft.users).map((user) => ({ user })),
    ...lines(draft.groups).map((group) => ({ group })),
  ];
  if (subjects.length === 0) return { field: "users", problem: "Say who gets access: a user or a group." };
  const clusters = clustersOf(draft);
  if ("problem" in clusters) return clusters;
  const namespaces = words(draft.namespaces);
  const endMs = Date.parse(draft.endsAt);
  if (draft.endsAt !== "" && Number.isNaN(endMs)) return { field: "endsAt", problem: "This is no time." };
  const asUser = draft.asUser.trim();
  return {
    subjects,
    clusters,
    kubernetes: { ...(asUser === "" ? {} : { user: asUser }), groups: lines(draft.asGroups) },
    ...(namespaces.length === 0 ? {} : { namespaces }),
    ...(draft.endsAt === "" ? {} : { expiresAt: new Date(endMs).toISOString() }),
  };
}

function clustersOf(
  draft: GrantDraft,
): GrantSpec["clusters"] | { readonly field: keyof GrantDraft; readonly problem: string } {
  if (draft.by === "names") {
    const names = words(draft.clusters);
    return names.length === 0 ? { field: "clusters", problem: "Name a cluster." } : { names };
  }
  try {
    return { selector: selectorOf(parseLabelSelector(draft.labels)) };
  } catch (error) {
    return { field: "labels", problem: error instanceof Error ? error.message : "This is no selector." };
  }
}

type Selector = NonNullable<GrantSpec["clusters"]["selector"]>;

/** One label with one value goes without an expression. */
function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: Selector["matchExpressions"] = [];
  for (const requirement of requirements) {
    const { key, operator } = requirement;
    if (operator === "exists") matchExpressions.push({ key, operator: "Exists" });
    else if (operator === "absent") matchExpressions.push({ key, operator: "DoesNotExist" });
    else {
      const [first = "", ...others] = requirement.values;
      const isPlain = operator === "in" && others.length === 0 && !Object.hasOwn(matchLabels, key);
      if (isPlain) matchLabels[key] = first;
      else
        matchExpressions.push({
          key,
          operator: operator === "in" ? "In" : "NotIn",
          values: [...requirement.values],
        });
    }
  }
  return { matchLabels, matchExpressions };
}

function textsOf(subjects: GrantSpec["subjects"], field: "user" | "group"): string[] {
  return subjects.flatMap((subject) => subject[field] ?? []);
}

function words(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/u).filter(Boolean))];
}

function lines(text: string): string[] {
  return [...new Set(text.split(/\n/u).map((line) => line.trim()))].filter(Boolean);
}

/** A time for a field that knows no zones. */
function localTime(time: string): string {
  const date = new Date(time);
  const offsetMs = date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, 16);
}

import { isGrantIn, type AccessGrant, type Cluster, type User } from "@bowline/api";

/** What a grant would give if it were written now. */
export interface GrantPreview {
  /** Everybody who is meant: users by name, and those that a group brings in as far as Users say so. */
  readonly people: readonly PreviewPerson[];
  /** Groups, with how many Users are in each; the issuer may know more. */
  readonly groups: readonly { readonly name: string; readonly members: number }[];
  /** The clusters that it takes in as they are labelled now. */
  readonly clusters: readonly string[];
  /** The Kubernetes user; undefined for everybody's own name. */
  readonly asUser: string | undefined;
  readonly asGroups: readonly string[];
  readonly namespaces: readonly string[] | undefined;
  readonly endsAtMs: number | undefined;
  /** What somebody should look at twice. */
  readonly warnings: readonly string[];
}

interface PreviewPerson {
  readonly name: string;
  /** The group that brings them in; undefined for somebody who is named. */
  readonly through: string | undefined;
  readonly isDisabled: boolean;
}

export interface PreviewWorld {
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly nowMs: number;
}

type GrantSpec = AccessGrant["spec"];

export function previewGrant(spec: GrantSpec, world: PreviewWorld): GrantPreview {
  const { clusters, users } = world;
  const reached = clusters.filter((cluster) => isGrantIn(spec, cluster)).map(({ metadata }) => metadata.name);
  const groups = spec.subjects.flatMap(({ group }) => (group === undefined ? [] : [group]));
  return {
    people: peopleOf(spec, users),
    groups: groups.map((name) => ({
      name,
      members: users.filter((user) => user.spec.groups.includes(name)).length,
    })),
    clusters: reached.toSorted(),
    asUser: spec.kubernetes.user,
    asGroups: spec.kubernetes.groups,
    namespaces: spec.namespaces,
    endsAtMs: spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt),
    warnings: warningsOf(spec, world, reached),
  };
}

function peopleOf(spec: GrantSpec, users: readonly User[]): PreviewPerson[] {
  const people = new Map<string, PreviewPerson>();
  const isDisabled = (name: string): boolean =>
    users.some(({ metadata, spec: { disabled } }) => metadata.name === name && disabled);
  for (const { user } of spec.subjects) {
    if (user !== undefined)
      people.set(user, { name: user, through: undefined, isDisabled: isDisabled(user) });
  }
  for (const { group } of spec.subjects) {
    if (group === undefined) continue;
    for (const { metadata, spec: user } of users) {
      if (!user.groups.includes(group) || people.has(metadata.name)) continue;
      people.set(metadata.name, { name: metadata.name, through: group, isDisabled: user.disabled });
    }
  }
  return [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

function warningsOf(spec: GrantSpec, world: PreviewWorld, reached: readonly string[]): string[] {
  const { users, nowMs } = world;
  const { expiresAt, namespaces, subjects } = spec;
  const disabled = users.filter(
    ({ metadata, spec: { disabled: isDisabled } }) =>
      isDisabled && subjects.some(({ user }) => user === metadata.name),
  );
  return [
    ...nameWarnings(spec),
    ...clusterWarnings(spec, world, reached),
    ...(namespaces?.includes("kube-system") === true
      ? ["Whoever writes in kube-system can take over the cluster."]
      : []),
    ...(expiresAt !== undefined && Date.parse(expiresAt) <= nowMs ? ["It has ended already."] : []),
    ...disabled.map(({ metadata }) => `${metadata.name} is disabled.`),
  ];
}

/** Of as whom people act. */
function nameWarnings({ kubernetes: { user, groups }, subjects }: GrantSpec): string[] {
  const isOfKubernetes = (name: string): boolean =>
    name.startsWith("system:") && name !== "system:masters" && name !== "system:authenticated";
  return [
    ...(groups.includes("system:masters")
      ? ["system:masters may do everything in a cluster, and no RBAC there can take it back."]
      : []),
    ...[user ?? "", ...groups]
      .filter((name) => isOfKubernetes(name))
      .map((name) => `${name} is a name of Kubernetes itself.`),
    ...(user !== undefined && subjects.length > 1
      ? [`Everybody acts as ${user}: the cluster's own audit log cannot tell them apart.`]
      : []),
    ...(user === undefined && groups.length === 0
      ? ["Without groups, only roles in the cluster that name each user let them do anything."]
      : []),
  ];
}

function clusterWarnings(
  { clusters: { names, selector } }: GrantSpec,
  { clusters }: PreviewWorld,
  reached: readonly string[],
): string[] {
  if (selector !== undefined && isEverything(selector)) {
    return ["The selector is empty: it takes in every cluster, those of later too."];
  }
  if (reached.length === 0) {
    return [names === undefined ? "No cluster has these labels now." : "None of these clusters exists."];
  }
  const known = new Set(clusters.map(({ metadata }) => metadata.name));
  const missing = (names ?? []).filter((name) => !known.has(name));
  return missing.length === 0 ? [] : [`There is no cluster ${missing.join(", ")}.`];
}

function isEverything({
  matchLabels,
  matchExpressions,
}: NonNullable<GrantSpec["clusters"]["selector"]>): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

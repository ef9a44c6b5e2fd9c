import {
  isGrantFor,
  isGrantIn,
  isGrantInForce,
  type AccessGrant,
  type Cluster,
  type User,
} from "@bowline/api";

/** Somebody who may have grants: a User, or a group as grants name it. */
export interface MatrixRow {
  readonly kind: "user" | "group";
  readonly name: string;
  readonly groups: readonly string[];
  readonly isDisabled: boolean;
}

export interface AccessMatrix {
  readonly rows: readonly MatrixRow[];
  readonly clusters: readonly string[];
  /** The grants of a row in a cluster, by `cellKey`; no entry for none. */
  readonly cells: ReadonlyMap<string, readonly AccessGrant[]>;
  /** How many rows and clusters are left out, so that a page can be drawn. */
  readonly hiddenRows: number;
  readonly hiddenClusters: number;
}

export interface MatrixLimits {
  readonly rows: number;
  readonly clusters: number;
}

const matrixLimits: MatrixLimits = { rows: 200, clusters: 40 };

export function cellKey({ kind, name }: Pick<MatrixRow, "kind" | "name">, cluster: string): string {
  return `${kind} ${name} ${cluster}`;
}

export interface MatrixWorld {
  readonly grants: readonly AccessGrant[];
  readonly users: readonly User[];
  readonly clusters: readonly Cluster[];
  readonly nowMs: number;
}

/** Who reaches which cluster, by grants that are in force. Words of the filter pick rows and clusters. */
export function accessMatrix(
  world: MatrixWorld,
  filter: string,
  limits: MatrixLimits = matrixLimits,
): AccessMatrix {
  const inForce = world.grants.filter((grant) => isGrantInForce(grant, world.nowMs));
  const all = { rows: rowsOf(world.users, inForce), clusters: world.clusters.toSorted(byName) };
  const text = filter.trim().toLowerCase();
  const picked = {
    rows: all.rows.filter(({ name }) => name.toLowerCase().includes(text)),
    clusters: all.clusters.filter(({ metadata }) => metadata.name.toLowerCase().includes(text)),
  };
  // A word that is in names of one kind only picks of that kind.
  const rows = picked.rows.length === 0 ? all.rows : picked.rows;
  const clusters = picked.clusters.length === 0 ? all.clusters : picked.clusters;
  const shown = { rows: rows.slice(0, limits.rows), clusters: clusters.slice(0, limits.clusters) };
  const cells = new Map<string, AccessGrant[]>();
  for (const cluster of shown.clusters) {
    const reaching = inForce.filter(({ spec }) => isGrantIn(spec, cluster));
    for (const row of shown.rows) {
      const own = reaching.filter(({ spec }) => isFor(spec, row));
      if (own.length > 0) cells.set(cellKey(row, cluster.metadata.name), own);
    }
  }
  return {
    rows: shown.rows,
    clusters: shown.clusters.map(({ metadata }) => metadata.name),
    cells,
    hiddenRows: rows.length - shown.rows.length,
    hiddenClusters: clusters.length - shown.clusters.length,
  };
}

/** One way into a cluster that somebody would have. */
export interface Reach {
  readonly cluster: string;
  readonly grant: AccessGrant;
  readonly asUser: string;
}

/** What somebody of that name, in those groups, would reach. */
export function reachOf(
  identity: { readonly user: string; readonly groups: readonly string[] },
  { grants, clusters, nowMs }: Omit<MatrixWorld, "users">,
): Reach[] {
  const own = grants.filter((grant) => isGrantInForce(grant, nowMs) && isGrantFor(grant.spec, identity));
  return clusters.toSorted(byName).flatMap((cluster) =>
    own
      .filter(({ spec }) => isGrantIn(spec, cluster))
      .map((grant) => ({
        cluster: cluster.metadata.name,
        grant,
        asUser: grant.spec.kubernetes.user ?? identity.user,
      })),
  );
}

/** In a few characters: as whom, and in how many namespaces. */
export function cellText(grants: readonly AccessGrant[]): string {
  const parts = grants.map(({ spec: { kubernetes, namespaces } }) => {
    const as = kubernetes.groups[0] ?? kubernetes.user ?? "own name";
    const more = kubernetes.groups.length > 1 ? ` +${kubernetes.groups.length - 1}` : "";
    return `${as}${more}${namespaces === undefined ? "" : ` (${namespaces.length} ns)`}`;
  });
  return [...new Set(parts)].join(", ");
}

function rowsOf(users: readonly User[], grants: readonly AccessGrant[]): MatrixRow[] {
  const groups = new Set(grants.flatMap(({ spec }) => spec.subjects.flatMap(({ group }) => group ?? [])));
  return [
    ...users.toSorted(byName).map(({ metadata, spec }): MatrixRow => ({
      kind: "user",
      name: metadata.name,
      groups: spec.groups,
      isDisabled: spec.disabled,
    })),
    ...[...groups]
      .toSorted()
      .map((name): MatrixRow => ({ kind: "group", name, groups: [name], isDisabled: false })),
  ];
}

function isFor(spec: AccessGrant["spec"], { kind, name, groups }: MatrixRow): boolean {
  if (kind === "user") return isGrantFor(spec, { user: name, groups });
  return spec.subjects.some(({ group }) => group === name);
}

function byName(a: Pick<Cluster, "metadata">, b: Pick<Cluster, "metadata">): number {
  return a.metadata.name.localeCompare(b.metadata.name);
}

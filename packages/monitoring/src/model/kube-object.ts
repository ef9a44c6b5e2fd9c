/** An object of the Kubernetes API as it comes from a cluster or a file: only its envelope is relied on. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly binaryData?: unknown;
  readonly stringData?: unknown;
}

/** Which object is meant. */
export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function refOf(object: KubeObject): ObjectRef {
  return { kind: object.kind, namespace: namespaceOf(object), name: object.metadata.name };
}

/** The group of its API; empty for the core group, undefined where the object does not say. */
export function groupOf({ apiVersion }: KubeObject): string | undefined {
  if (apiVersion === undefined) return undefined;
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** `kubectl` puts an object without a namespace into this one; files often leave it out. */
export function namespaceOf(object: KubeObject): string {
  return object.metadata.namespace ?? "default";
}

/** `ServiceMonitor shop/web` */
export function formatRef({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace}/${name}`;
}

/** By kind, then by namespace and name. Compares code units, because a locale would differ between machines. */
export function compareRefs(a: ObjectRef, b: ObjectRef): number {
  return compareText(a.kind, b.kind) || compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface SortedObjects {
  readonly objects: readonly KubeObject[];
  /** Objects that were given more than once, and not alike. */
  readonly conflicts: readonly ObjectRef[];
}

/**
 * The objects sorted, each once. Of two that differ under one name the choice must not depend on the order of the
 * input, so the texts decide.
 */
export function sortObjects(given: readonly KubeObject[]): SortedObjects {
  const byRef = new Map<string, KubeObject>();
  const conflicts = new Map<string, ObjectRef>();
  for (const object of given) {
    const ref = refOf(object);
    const key = formatRef(ref);
    const other = byRef.get(key);
    const order = other === undefined ? -1 : compareText(JSON.stringify(object), JSON.stringify(other));
    if (order < 0) byRef.set(key, object);
    if (other !== undefined && order !== 0) conflicts.set(key, ref);
  }
  return {
    objects: [...byRef.values()].sort((a, b) => compareRefs(refOf(a), refOf(b))),
    conflicts: [...conflicts.values()].sort(compareRefs),
  };
}

/** Where our own custom resources are. */
export const monitoringGroup = "monitoring.bowline.dev";
export const monitoringVersion = "v1alpha1";
export const monitoringApiVersion = `${monitoringGroup}/${monitoringVersion}`;

/** Where the monitors and the roots of prometheus-operator are. */
export const prometheusOperatorGroup = "monitoring.coreos.com";

/** Where the custom resources of the Grafana Agent Operator are, which can be read as if they were ours. */
export const grafanaGroup = "monitoring.grafana.com";

/** The groups of the kinds that are read. Other operators have kinds of the same names in groups of their own. */
const groups: Readonly<Partial<Record<string, string>>> = {
  MetricsAgent: monitoringGroup,
  MetricsInstance: monitoringGroup,
  Prometheus: prometheusOperatorGroup,
  PrometheusAgent: prometheusOperatorGroup,
  ServiceMonitor: prometheusOperatorGroup,
  PodMonitor: prometheusOperatorGroup,
  Probe: prometheusOperatorGroup,
  ScrapeConfig: prometheusOperatorGroup,
};

/** Whether the object is what its kind says here. One that does not say its group is believed. */
export function isOfKnownGroup(object: KubeObject): boolean {
  const expected = Object.hasOwn(groups, object.kind) ? groups[object.kind] : undefined;
  const group = groupOf(object);
  return expected === undefined || group === undefined || group === expected;
}

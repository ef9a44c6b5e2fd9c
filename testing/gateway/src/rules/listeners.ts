import {
  labelRequirementsOf,
  matchesLabels,
  type DeepReadonly,
  type LabelSelectorObject,
} from "@bowline/core";

import { gatewayGroup, type Gateway, type Listener, type ListenerSet } from "../model/gateway-kinds.ts";
import { byAge, nameOf, type Snapshot } from "../model/snapshot.ts";
import type { ServedCertificate } from "./key-pair.ts";
import { resolveCertificate, type Unresolved } from "./references.ts";

/** A listener of a Gateway, its own or that of a ListenerSet, and what is wrong with it. */
export interface CheckedListener {
  readonly gateway: DeepReadonly<Gateway>;
  readonly owner: DeepReadonly<Gateway> | DeepReadonly<ListenerSet>;
  readonly spec: DeepReadonly<Listener>;
  readonly certificates: readonly ServedCertificate[];
  readonly takesHttpRoutes: boolean;
  readonly unsupported?: Unresolved | undefined;
  readonly conflict?: Unresolved | undefined;
  readonly unresolved?: Unresolved | undefined;
}

/** Whether anything is served there. */
export function isServing(listener: CheckedListener): boolean {
  const { unsupported, conflict, unresolved, spec, certificates } = listener;
  if (unsupported !== undefined || conflict !== undefined) return false;
  return spec.protocol === "HTTPS" ? certificates.length > 0 : unresolved === undefined;
}

/** Those of the Gateway first, then those of its sets, the oldest set first: in this order conflicts are settled. */
export function checkListeners(
  gateway: DeepReadonly<Gateway>,
  sets: readonly DeepReadonly<ListenerSet>[],
  snapshot: Snapshot,
): CheckedListener[] {
  const checked: CheckedListener[] = [];
  for (const owner of [gateway, ...sets.toSorted(byAge)]) {
    for (const spec of owner.spec.listeners) checked.push(check({ gateway, owner, spec }, checked, snapshot));
  }
  return checked;
}

function check(
  { gateway, owner, spec }: Pick<CheckedListener, "gateway" | "owner" | "spec">,
  earlier: readonly CheckedListener[],
  snapshot: Snapshot,
): CheckedListener {
  const kinds = spec.allowedRoutes?.kinds ?? [];
  const takesHttpRoutes =
    kinds.length === 0 ||
    kinds.some(({ group = gatewayGroup, kind }) => group === gatewayGroup && kind === "HTTPRoute");
  const listener = { gateway, owner, spec, takesHttpRoutes };
  if (spec.protocol !== "HTTP" && spec.protocol !== "HTTPS") {
    const message = `Protocol ${spec.protocol} is not served here.`;
    return { ...listener, certificates: [], unsupported: { reason: "UnsupportedProtocol", message } };
  }
  const { certificates, problem } = certificatesOf(listener, snapshot);
  const unresolved = takesHttpRoutes ? problem : noRouteKind;
  return { ...listener, certificates, unresolved, conflict: conflictOf(spec, earlier) };
}

const noRouteKind = { reason: "InvalidRouteKinds", message: "Only HTTPRoutes are served here." };

function certificatesOf(
  { owner, spec }: Pick<CheckedListener, "owner" | "spec">,
  snapshot: Snapshot,
): { readonly certificates: ServedCertificate[]; readonly problem?: Unresolved | undefined } {
  if (spec.protocol !== "HTTPS") return { certificates: [] };
  const references = spec.tls?.certificateRefs ?? [];
  if (references.length === 0) {
    const message = `Listener ${spec.name} names no certificate.`;
    return { certificates: [], problem: { reason: "InvalidCertificateRef", message } };
  }
  const from = { kind: owner.kind, namespace: owner.metadata.namespace ?? "" };
  const resolved = references.map((reference) => resolveCertificate(reference, from, snapshot));
  return {
    certificates: resolved.flatMap(({ value }) => value ?? []),
    problem: resolved.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** The earlier listener keeps the port, or the name on it. */
function conflictOf(
  spec: DeepReadonly<Listener>,
  earlier: readonly CheckedListener[],
): Unresolved | undefined {
  const onPort = earlier.filter(
    (other) => other.spec.port === spec.port && other.conflict === undefined && !other.unsupported,
  );
  const otherProtocol = onPort.find((other) => other.spec.protocol !== spec.protocol);
  if (otherProtocol !== undefined)
    return { reason: "ProtocolConflict", message: `${place(otherProtocol)} has port ${spec.port} already.` };
  const sameHost = onPort.find((other) => other.spec.hostname === spec.hostname);
  if (sameHost === undefined) return undefined;
  const host = spec.hostname ?? "every host";
  return { reason: "HostnameConflict", message: `${place(sameHost)} has ${host} on port ${spec.port}.` };
}

function place({ owner, spec }: CheckedListener): string {
  return `Listener ${spec.name} of ${owner.kind} ${nameOf(owner)}`;
}

interface NamespaceRule {
  readonly from?: "All" | "Same" | "Selector" | "None";
  readonly selector?: LabelSelectorObject;
}

/** Whether objects of `namespace` may attach to something of `own` that has this rule. */
export function allowsNamespace(
  rule: NamespaceRule,
  own: string | undefined,
  namespace: string | undefined,
  snapshot: Snapshot,
): boolean {
  if (rule.from === "All") return true;
  if (rule.from === "Same") return own === namespace;
  if (rule.from !== "Selector" || rule.selector === undefined) return false;
  const labels = snapshot.namespaceLabels(namespace ?? "");
  return labels !== undefined && matchesLabels(labelRequirementsOf(rule.selector), labels);
}

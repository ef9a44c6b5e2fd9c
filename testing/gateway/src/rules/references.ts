import type { DeepReadonly } from "@bowline/core";

import type { BackendReference, ObjectReference, ReferenceGrant } from "../model/gateway-kinds.ts";
import { gatewayGroup } from "../model/gateway-kinds.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { readKeyPair, type ServedCertificate } from "./key-pair.ts";

/** A reference that leads nowhere, as a condition says it. */
export interface Unresolved {
  readonly reason: string;
  readonly message: string;
}

export type Resolved<T> =
  | { readonly value: T; readonly problem?: never }
  | { readonly value?: never; readonly problem: Unresolved };

/** Who refers to something. */
export interface Referrer {
  readonly kind: string;
  readonly namespace: string;
}

/** A port of a Service. */
export interface Backend {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
}

export function resolveBackend(
  reference: DeepReadonly<BackendReference>,
  from: Referrer,
  snapshot: Snapshot,
): Resolved<Backend> {
  const { group = "", kind = "Service", name, namespace = from.namespace, port } = reference;
  if (group !== "" || kind !== "Service")
    return unresolved("InvalidKind", `${group}/${kind} ${name} is no Service.`);
  const refused = whyNotGranted({ kind, name, namespace }, from, snapshot.grants);
  if (refused !== undefined) return { problem: refused };
  const service = snapshot.service(namespace, name);
  if (service === undefined)
    return unresolved("BackendNotFound", `There is no Service ${namespace}/${name}.`);
  if (port === undefined || !(service.spec.ports ?? []).some((each) => each.port === port))
    return unresolved("BackendNotFound", `Service ${namespace}/${name} has no port ${port ?? "named"}.`);
  return { value: { namespace, service: name, port } };
}

export function resolveCertificate(
  reference: DeepReadonly<ObjectReference>,
  from: Referrer,
  snapshot: Snapshot,
): Resolved<ServedCertificate> {
  const { group = "", kind = "Secret", name, namespace = from.namespace } = reference;
  if (group !== "" || kind !== "Secret")
    return unresolved("InvalidCertificateRef", `${group}/${kind} ${name} is no Secret.`);
  const refused = whyNotGranted({ kind, name, namespace }, from, snapshot.grants);
  if (refused !== undefined) return { problem: refused };
  const secret = snapshot.secret(namespace, name);
  if (secret === undefined)
    return unresolved("InvalidCertificateRef", `There is no Secret ${namespace}/${name}.`);
  const pair = readKeyPair(secret);
  return pair === undefined
    ? unresolved("InvalidCertificateRef", `Secret ${namespace}/${name} has no certificate with its key.`)
    : { value: { ...pair, secret: `${namespace}/${name}` } };
}

function unresolved(reason: string, message: string): { readonly problem: Unresolved } {
  return { problem: { reason, message } };
}

/** Another namespace has to allow it by a ReferenceGrant of its own. */
function whyNotGranted(
  to: { readonly kind: string; readonly name: string; readonly namespace: string },
  from: Referrer,
  grants: readonly DeepReadonly<ReferenceGrant>[],
): Unresolved | undefined {
  if (to.namespace === from.namespace) return undefined;
  const allows = grants.some(
    ({ metadata, spec }) =>
      metadata.namespace === to.namespace &&
      spec.from.some(
        (each) => each.group === gatewayGroup && each.kind === from.kind && each.namespace === from.namespace,
      ) &&
      spec.to.some(
        (each) => each.group === "" && each.kind === to.kind && (each.name ?? to.name) === to.name,
      ),
  );
  if (allows) return undefined;
  const subject = `${to.kind} ${to.namespace}/${to.name}`;
  return {
    reason: "RefNotPermitted",
    message: `No ReferenceGrant in ${to.namespace} lets a ${from.kind} of ${from.namespace} use ${subject}.`,
  };
}

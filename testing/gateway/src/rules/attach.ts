import type { DeepReadonly } from "@bowline/core";

import type { HttpRoute, ParentReference } from "../model/gateway-kinds.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { intersection } from "./hostnames.ts";
import { allowsNamespace, type CheckedListener } from "./listeners.ts";
import type { Unresolved } from "./references.ts";

/** A route at one listener, with the hosts that it answers there. */
interface Attachment {
  readonly listener: CheckedListener;
  readonly hosts: readonly (string | undefined)[];
}

export type AttachResult =
  | { readonly attachments: readonly Attachment[]; readonly problem?: never }
  | { readonly attachments?: never; readonly problem: Unresolved };

/** Which of a parent's listeners take the route; the first rule that none of them passes is the reason. */
export function attach(
  route: DeepReadonly<HttpRoute>,
  parent: DeepReadonly<ParentReference>,
  listeners: readonly CheckedListener[],
  snapshot: Snapshot,
): AttachResult {
  const { sectionName, port } = parent;
  const named = listeners
    .filter(({ spec }) => sectionName === undefined || spec.name === sectionName)
    .filter(({ spec }) => port === undefined || spec.port === port)
    .filter(({ unsupported, conflict }) => unsupported === undefined && conflict === undefined);
  if (named.length === 0) {
    const wanted = sectionName === undefined ? "with these names and ports" : `called ${sectionName}`;
    return refused("NoMatchingParent", `${parent.name} has no valid listener ${wanted}.`);
  }
  const open = named.filter((listener) => isOpenTo(listener, route, snapshot));
  if (open.length === 0)
    return refused("NotAllowedByListeners", `No listener takes routes from ${route.metadata.namespace}.`);
  const attachments = open
    .map((listener) => ({ listener, hosts: commonHosts(listener, route) }))
    .filter(({ hosts }) => hosts.length > 0);
  if (attachments.length > 0) return { attachments };
  return refused("NoMatchingListenerHostname", "No listener has a host in common with the route.");
}

function refused(reason: string, message: string): AttachResult {
  return { problem: { reason, message } };
}

function isOpenTo(
  { owner, spec, takesHttpRoutes }: CheckedListener,
  { metadata }: DeepReadonly<HttpRoute>,
  snapshot: Snapshot,
): boolean {
  const rule = spec.allowedRoutes?.namespaces ?? { from: "Same" };
  return takesHttpRoutes && allowsNamespace(rule, owner.metadata.namespace, metadata.namespace, snapshot);
}

function commonHosts(
  listener: CheckedListener,
  { spec }: DeepReadonly<HttpRoute>,
): readonly (string | undefined)[] {
  const hostnames = spec.hostnames?.length ? spec.hostnames : [undefined];
  return hostnames.flatMap((hostname) => {
    const common = intersection(listener.spec.hostname, hostname);
    return common === undefined ? [] : [common.host];
  });
}

import type { ProxiedRequest } from "@bowline/api";

import type { NewAuditRecord } from "@bowline/store";
import type { ProxiedCall } from "../proxied-call.ts";
import type { ClusterTarget } from "../request/cluster-target.ts";
import type { KubernetesRequest } from "../request/kubernetes-request.ts";

/** What came of a call. */
export interface CallResult {
  /** 0 when no answer came. */
  readonly status: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly durationMs: number;
  /** Of an upgraded connection, which has a record for each. */
  readonly phase?: "start" | "end" | undefined;
  /** Why it ended before it was complete. */
  readonly message?: string | undefined;
  /** It was the client that ended it. */
  readonly clientLeft?: boolean | undefined;
}

/** As the schemas of the record have it. */
const maxNameLength = 253;
const maxMessageLength = 1_024;
/** Of answers that never came. */
const clientClosed = 499;

/** The record of a call that was sent to the cluster. */
export function callRecord(call: ProxiedCall, result: CallResult): NewAuditRecord {
  const { identity, address, access, target, requestId, upgrade } = call;
  const { status, requestBytes, answerBytes, durationMs, phase, message } = result;
  return {
    actor: {
      user: identity.user,
      ...(identity.token === undefined ? {} : { token: identity.token }),
      ...(address === undefined ? {} : { address }),
    },
    verb: "proxy",
    outcome: outcomeOf(result),
    httpStatus: status === 0 ? clientClosed : status,
    kind: "Cluster",
    name: target.cluster,
    ...(message === undefined ? {} : { message: message.slice(0, maxMessageLength) }),
    requestId,
    proxy: {
      ...requestPart(call.request, target),
      grant: access.grant,
      user: access.kubernetesUser,
      groups: [...access.groups],
      ...(upgrade === undefined ? {} : { upgrade: upgrade.slice(0, maxNameLength) }),
      ...(phase === undefined ? {} : { phase }),
      requestBytes,
      answerBytes,
      durationMs: Math.round(durationMs),
    },
  };
}

/** What was asked, as far as it is known. */
export function requestPart(request: KubernetesRequest, target: ClusterTarget): ProxiedRequest {
  const { verb, isResource, group, resource, subresource, namespace, name } = request;
  if (!isResource)
    return { verb: verb.slice(0, 32), path: `/${target.segments.join("/")}`.slice(0, maxNameLength) };
  return {
    verb: verb.slice(0, 32),
    ...part("group", group),
    ...part("resource", resource),
    ...part("subresource", subresource),
    ...part("namespace", namespace),
    ...part("name", name),
  };
}

function part<Name extends string>(name: Name, value: string): { [N in Name]?: string } {
  if (value === "") return {};
  return { [name]: value.slice(0, maxNameLength) } as { [N in Name]: string };
}

/** A client that goes away has changed its mind: nothing was wrong with its request, nor with the cluster. */
function outcomeOf({ status, message, clientLeft }: CallResult): NewAuditRecord["outcome"] {
  if (status === 401 || status === 403) return "denied";
  if (status >= 400) return "failed";
  return message === undefined || clientLeft === true ? "allowed" : "failed";
}

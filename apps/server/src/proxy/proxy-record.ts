import type { ProxyDetails } from "@bowline/api";

import type { NewAuditRecord } from "@bowline/store";
import type { AdmittedRequest } from "./admission/admit-request.ts";
import type { ClusterTarget } from "./request/cluster-target.ts";
import type { KubernetesRequest } from "./request/kubernetes-request.ts";
import type { TransferResult } from "./transfer/proxied-request.ts";

/** Limits of the schemas of the record. */
const maxNameLength = 253;
const maxMessageLength = 1_024;
/** The status of answers that never came. */
const clientClosed = 499;

/** The record of a request that was sent to the cluster. */
export function proxyRecord(admitted: AdmittedRequest, result: TransferResult): NewAuditRecord {
  const { identity, address, access, target, requestId, upgrade } = admitted;
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
      ...requestPart(admitted.request, target),
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

/** The request as its path and query say it; nothing of it is known to be allowed. */
export function requestPart(request: KubernetesRequest, target: ClusterTarget): ProxyDetails {
  const { verb, isResource, group, resource, subresource, namespace, name } = request;
  if (!isResource)
    return { verb: verb.slice(0, 32), path: `/${target.segments.join("/")}`.slice(0, maxNameLength) };
  return {
    verb: verb.slice(0, 32),
    ...(group === "" ? {} : { group: group.slice(0, maxNameLength) }),
    ...(resource === "" ? {} : { resource: resource.slice(0, maxNameLength) }),
    ...(subresource === "" ? {} : { subresource: subresource.slice(0, maxNameLength) }),
    ...(namespace === "" ? {} : { namespace: namespace.slice(0, maxNameLength) }),
    ...(name === "" ? {} : { name: name.slice(0, maxNameLength) }),
  };
}

/** A client that goes away has changed its mind: nothing was wrong with its request, nor with the cluster. */
function outcomeOf({ status, message, clientLeft }: TransferResult): NewAuditRecord["outcome"] {
  if (status === 401 || status === 403) return "denied";
  if (status >= 400) return "failed";
  return message === undefined || clientLeft === true ? "allowed" : "failed";
}

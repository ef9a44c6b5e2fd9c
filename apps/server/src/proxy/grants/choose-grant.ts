import type { ClusterAccess } from "@bowline/auth";
import type { KubernetesRequest } from "../request/kubernetes-request.ts";

/** What everybody may ask about themselves, as the API server has it by default. None of it is in a namespace. */
const aboutOneself: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
]);

/** The first access that covers the request; undefined when none does. */
export function chooseGrant(
  accesses: readonly ClusterAccess[],
  request: KubernetesRequest,
): ClusterAccess | undefined {
  return accesses.find((access) => covers(access, request));
}

/**
 * Who is held to namespaces reaches what is in them. Whatever is in no namespace, or in all, is not for them, except
 * for what every client needs to find its way: paths that are no resources, such as `/apis` and `/version`, and
 * questions about oneself. What they may do there, the cluster decides.
 */
export function covers({ namespaces }: ClusterAccess, request: KubernetesRequest): boolean {
  if (namespaces === undefined || !request.isResource) return true;
  if (request.namespace !== "") return namespaces.includes(request.namespace);
  return request.verb === "create" && aboutOneself.has(`${request.group}/${request.resource}`);
}

import type { ProxiedRequest } from "./proxied-request.ts";

/** What a request to a cluster is about, for people: `pods/web-1/log in shop`, `deployments`, `/version`. */
export function proxiedObject(proxy: ProxiedRequest): string {
  const { resource, name, subresource, namespace, path } = proxy;
  if (resource === undefined) return path ?? "";
  const object = [resource, name, subresource].filter((part) => part !== undefined).join("/");
  return namespace === undefined ? object : `${object} in ${namespace}`;
}

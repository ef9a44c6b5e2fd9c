/** The rules of Gateway API for the host names of listeners and routes. An absent one stands for every host. */
type Hostname = string | undefined;

/** The more exact of two hostnames that have hosts in common; undefined when they have none. */
export function intersection(listener: Hostname, route: Hostname): { readonly host: Hostname } | undefined {
  if (covers(listener, route)) return { host: route ?? listener };
  return covers(route, listener) ? { host: listener } : undefined;
}

/** Whether every host of `inner` is one of `outer`. A wildcard stands for one label or more. */
export function covers(outer: Hostname, inner: Hostname): boolean {
  if (outer === undefined || outer === inner) return true;
  if (inner === undefined || !outer.startsWith("*.")) return false;
  return inner.endsWith(outer.slice(1));
}

/** The most exact first: exact names, long wildcards, short wildcards, no name. */
export function byExactness(one: Hostname, other: Hostname): number {
  return exactness(other) - exactness(one);
}

const longestHostname = 253;

function exactness(host: Hostname): number {
  if (host === undefined) return 0;
  return host.startsWith("*.") ? host.length : host.length + longestHostname;
}

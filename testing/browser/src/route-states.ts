import type { ConsoleRoute } from "./routes.ts";

/**
 * Whose answers a place shows, which decides how it is made to wait and to fail: lists of Bowline's API that are
 * followed, single requests to it, or a cluster through the proxy.
 */
type Source = "lists" | "requests" | "cluster";

export interface StatefulRoute extends ConsoleRoute {
  readonly source: Source;
  /** A form that is there without any answer: nothing to wait for, and nothing that fails. */
  readonly isForm?: true;
}

const pod = "/c/edge/o/core/v1/pods/shop/till";
const asked = (query: string): string => `/ask?${query}`;

/**
 * Every screen once, and each tab that asks for something of its own. The cluster `edge` is that of `sampleCluster`, and
 * the workload `reports` with its Gateway, the DomainName `example-test`, the source `fleet` and the cluster `made` are those
 * of `deployBroken`. A new screen is a new line.
 */
export const statefulRoutes: readonly StatefulRoute[] = [
  { path: "/", heading: "Fleet", source: "lists" },
  { path: "/clusters", heading: "Clusters", source: "lists" },
  { path: "/clusters/add", heading: "Join a cluster", source: "lists", isForm: true },
  { path: "/c/edge", heading: "edge", source: "lists" },
  { path: "/c/made", heading: "made", source: "lists" },
  { path: "/gateways", heading: "Gateways", source: "lists" },
  { path: "/gateways/reports", heading: "reports", source: "lists" },
  { path: "/gateways/reports?tab=yaml", heading: "reports", source: "lists" },
  { path: "/domains", heading: "Domain names", source: "lists" },
  { path: "/domains/example-test", heading: "example-test", source: "lists" },
  { path: "/domains/example-test?tab=yaml", heading: "example-test", source: "lists" },
  { path: "/workloads", heading: "Workloads", source: "lists" },
  { path: "/workloads/reports", heading: "reports", source: "requests" },
  { path: "/workloads/reports?tab=logs", heading: "reports", source: "requests" },
  { path: "/workloads/reports?tab=diff", heading: "reports", source: "requests" },
  { path: "/workloads/reports?tab=events", heading: "reports", source: "requests" },
  { path: "/workloads/reports?tab=settings", heading: "reports", source: "lists" },
  { path: "/events", heading: "Events", source: "lists" },
  { path: "/sources", heading: "Sources", source: "lists" },
  { path: "/sources?tab=configuration", heading: "Sources", source: "lists" },
  { path: "/sources/config/fleet", heading: "fleet", source: "lists" },
  { path: "/access", heading: "Access", source: "lists" },
  { path: "/access?tab=grants", heading: "Access", source: "lists" },
  { path: "/access?tab=users", heading: "Access", source: "lists" },
  { path: "/access?tab=tokens", heading: "Access", source: "lists" },
  { path: "/me", heading: "Me", source: "lists" },
  { path: "/approve", heading: "Sign in at a command line", source: "lists", isForm: true },
  { path: "/ask", heading: "Questions", source: "lists" },
  { path: asked("q=orphans"), heading: "What is left over?", source: "requests" },
  { path: "/graph?cluster=edge&focus=Pod%2Fshop%2Ftill", heading: "Graph", source: "requests" },
  { path: "/graph?cluster=edge&focus=Pod%2Fshop%2Ftill&view=table", heading: "Graph", source: "requests" },
  { path: "/search?q=till", heading: "Search", source: "requests" },
  { path: "/audit", heading: "Audit", source: "requests" },
  { path: "/monitoring?cluster=edge", heading: "Monitoring", source: "cluster" },
  { path: "/c/edge/k", heading: "Kinds of edge", source: "cluster" },
  { path: "/c/edge/k/core/v1/pods", heading: "Pod", source: "cluster" },
  { path: pod, heading: "till", source: "cluster" },
  { path: `${pod}?tab=yaml`, heading: "till", source: "cluster" },
  { path: `${pod}?tab=edit`, heading: "till", source: "cluster" },
  { path: `${pod}?tab=events`, heading: "till", source: "cluster" },
  { path: `${pod}?tab=uses`, heading: "till", source: "requests" },
  { path: `${pod}?tab=access`, heading: "till", source: "requests" },
  { path: `${pod}?tab=audit`, heading: "till", source: "requests" },
  { path: "/c/edge/logs?ns=shop&pod=till", heading: "Logs of till", source: "cluster" },
  { path: "/c/edge/shell?ns=shop&pod=till", heading: "Shell in edge / shop / till", source: "cluster" },
  { path: "/c/edge/metrics", heading: "Metrics of edge", source: "cluster" },
];

/** Places of a server that nobody has put anything into, and places of `edge` where there is nothing. */
export const emptyRoutes: readonly ConsoleRoute[] = [
  { path: "/", heading: "Fleet" },
  { path: "/clusters", heading: "Clusters" },
  { path: "/workloads", heading: "Workloads" },
  { path: "/workloads/not-there", heading: "not-there" },
  { path: "/c/not-there", heading: "not-there" },
  { path: "/gateways", heading: "Gateways" },
  { path: "/gateways/not-there", heading: "not-there" },
  { path: "/domains", heading: "Domain names" },
  { path: "/domains/not-there", heading: "not-there" },
  { path: "/events?kind=Nothing", heading: "Events" },
  { path: "/sources", heading: "Sources" },
  { path: "/sources?tab=configuration", heading: "Sources" },
  { path: "/sources/config/not-there", heading: "not-there" },
  { path: "/monitoring", heading: "Monitoring" },
  { path: "/graph", heading: "Graph" },
  { path: "/ask", heading: "Questions" },
  { path: asked("q=orphans"), heading: "What is left over?" },
  { path: "/search?q=nothing-has-this-name", heading: "Search" },
  { path: "/audit?user=nobody", heading: "Audit" },
  { path: "/access?tab=grants&q=nothing", heading: "Access" },
];

/** The same of `edge`, where there is nothing. */
export const emptyClusterRoutes: readonly ConsoleRoute[] = [
  { path: "/c/edge/k/core/v1/pods?ns=bare", heading: "Pod" },
  { path: "/c/edge/k/core/v1/pods?q=nothing-has-this-name", heading: "Pod" },
  { path: "/c/edge/o/core/v1/pods/shop/not-there", heading: "not-there" },
  { path: "/c/edge/o/core/v1/configmaps/shop/settings?tab=events", heading: "settings" },
  { path: "/c/edge/logs?ns=bare&l=app%3Dnothing", heading: "Logs of app=nothing" },
  { path: "/c/edge/shell", heading: "Shell in edge" },
];

/** Answers about `blind`, whose agent may not read all that they are made of. */
export const unobservedRoutes: readonly ConsoleRoute[] = [
  { path: "/graph?cluster=blind&focus=Pod%2Fshop%2Ftill", heading: "Graph" },
  { path: "/graph?cluster=blind&focus=Pod%2Fshop%2Ftill&view=table", heading: "Graph" },
  { path: asked("q=orphans&cluster=blind"), heading: "What is left over?" },
  { path: "/search?q=till", heading: "Search" },
  { path: "/c/blind/o/core/v1/pods/shop/till?tab=uses", heading: "till" },
  { path: "/c/blind/o/core/v1/pods/shop/till?tab=access", heading: "till" },
];

/** Answers about an earlier time. */
export function pastRoutes(at: string): ConsoleRoute[] {
  const time = encodeURIComponent(at);
  return [
    { path: `/graph?cluster=edge&focus=Pod%2Fshop%2Ftill&at=${time}`, heading: "Graph" },
    { path: `/graph?cluster=edge&focus=Pod%2Fshop%2Ftill&view=table&at=${time}`, heading: "Graph" },
    { path: asked(`q=images&cluster=edge&at=${time}`), heading: "Where does this image run?" },
    { path: asked(`q=audit&cluster=edge&at=${time}`), heading: "What is weak?" },
  ];
}

/** A place of the console that every test of all places goes to. */
export interface ConsoleRoute {
  readonly path: string;
  /** Its heading, by which one knows that it is there. */
  readonly heading: string;
}

/**
 * All places, for somebody who has signed in to a server with the cluster `edge` of `sampleCluster`, and the workload
 * `reports` with its Gateway, the DomainName `example-test`, the source `fleet` and the cluster `made` of `deployBroken`. A
 * new screen is a new line.
 */
export const routes: readonly ConsoleRoute[] = [
  { path: "/", heading: "Fleet" },
  { path: "/clusters", heading: "Clusters" },
  { path: "/clusters?q=edge&sort=NAME&desc=true", heading: "Clusters" },
  { path: "/clusters?q=nothing-has-this-name", heading: "Clusters" },
  { path: "/clusters?new=true", heading: "Clusters" },
  { path: "/clusters/add", heading: "Join a cluster" },
  { path: "/c/made", heading: "made" },
  { path: "/c/edge", heading: "edge" },
  { path: "/c/edge/k", heading: "Kinds of edge" },
  { path: "/c/edge/k/core/v1/pods", heading: "Pod" },
  { path: "/c/edge/k/core/v1/pods?ns=shop&q=till&wide=true", heading: "Pod" },
  { path: "/c/edge/k/apps/v1/deployments", heading: "Deployment" },
  { path: "/c/edge/k/core/v1/secrets", heading: "Secret" },
  { path: "/c/edge/k/core/v1/events?ns=shop", heading: "Event" },
  { path: "/c/edge/k/core/v1/nodes", heading: "Node" },
  { path: "/c/edge/k/nothing.example.test/v1/things", heading: "things" },
  ...objectTabs("/c/edge/o/core/v1/pods/shop/till", "till"),
  { path: "/c/edge/o/apps/v1/deployments/shop/web", heading: "web" },
  { path: "/c/edge/o/core/v1/secrets/shop/key?tab=yaml", heading: "key" },
  { path: "/c/edge/o/core/v1/configmaps/shop/settings?tab=yaml", heading: "settings" },
  { path: "/c/edge/o/core/v1/pods/shop/not-there", heading: "not-there" },
  { path: "/c/edge/logs?ns=shop&pod=till", heading: "Logs of till" },
  { path: "/c/edge/logs?ns=shop&l=app%3Dweb", heading: "Logs of app=web" },
  { path: "/c/edge/shell?ns=shop&pod=till", heading: "Shell in edge / shop / till" },
  { path: "/c/edge/metrics", heading: "Metrics of edge" },
  { path: "/workloads", heading: "Workloads" },
  { path: "/workloads?new=true", heading: "Workloads" },
  ...["", "logs", "diff", "events", "revisions", "settings"].map((tab) => ({
    path: `/workloads/reports?tab=${tab}`,
    heading: "reports",
  })),
  { path: "/workloads/not-there", heading: "not-there" },
  { path: "/gateways", heading: "Gateways" },
  ...["", "events", "yaml"].map((tab) => ({ path: `/gateways/reports?tab=${tab}`, heading: "reports" })),
  { path: "/gateways/not-there", heading: "not-there" },
  { path: "/domains", heading: "Domain names" },
  ...["", "events", "yaml"].map((tab) => ({
    path: `/domains/example-test?tab=${tab}`,
    heading: "example-test",
  })),
  { path: "/domains/example-test?q=nothing-has-this-name", heading: "example-test" },
  { path: "/domains/not-there", heading: "not-there" },
  { path: "/events", heading: "Events" },
  { path: "/sources", heading: "Sources" },
  { path: "/sources?tab=configuration", heading: "Sources" },
  { path: "/sources/config/fleet", heading: "fleet" },
  { path: "/sources/config/not-there", heading: "not-there" },
  { path: "/monitoring", heading: "Monitoring" },
  { path: "/graph", heading: "Graph" },
  { path: "/ask", heading: "Questions" },
  { path: "/search?q=till", heading: "Search" },
  { path: "/audit", heading: "Audit" },
  { path: "/access", heading: "Access" },
  { path: "/me", heading: "Me" },
];

function objectTabs(path: string, heading: string): ConsoleRoute[] {
  const tabs = ["", "yaml", "edit", "events", "logs", "shell", "uses", "access", "audit"];
  return tabs.map((tab) => ({ path: tab === "" ? path : `${path}?tab=${tab}`, heading }));
}

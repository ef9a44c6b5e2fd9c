import { QueryClient } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  Outlet,
} from "@tanstack/react-router";

import { readAskSearch } from "./graph/ask-search.ts";
import { readGraphSearch } from "./graph/graph-search.ts";
import { RequestFailed } from "./live/request.ts";
import { eventSearch } from "./routes/events/event-search.ts";
import { readAuditSearch } from "./routes/audit/audit-search.ts";
import { readAccessSearch } from "./routes/access/access-search.ts";
import { Layout } from "./routes/layout/layout.tsx";
import { PageFailed } from "./routes/layout/page-failed.tsx";
import { metricsSearch } from "./routes/metrics/chart-range.ts";
import { logSettings, type LogSettings } from "./routes/logs/log-settings.ts";
import { signInByCode, whoamiQuery } from "./routes/session.ts";

const againAfterFailureMs = 5_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: false,
      // Pages say that they go on by themselves when what was asked is back.
      refetchInterval: ({ state: { error } }) =>
        error instanceof RequestFailed && error.failure.isPassing ? againAfterFailureMs : false,
    },
    // Without a network a change fails at once: kept back, it would be made when nobody expects it any more.
    mutations: { networkMode: "always" },
  },
});

const root = createRootRoute({ component: Outlet });

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyRouteComponent(() => import("./routes/login/login.tsx"), "Login"),
  validateSearch: ({ reason, to }): { reason?: string; to?: string } => ({
    ...textParameter("reason", reason),
    // Only ways within the page: an address of somebody else's making leads nowhere else.
    ...(typeof to === "string" && /^\/(?!\/)/u.test(to) ? { to } : {}),
  }),
  async beforeLoad({ location }) {
    // In the fragment, which no server and no log ever sees.
    const code = new URLSearchParams(location.hash).get("code");
    if (code === null) return;
    try {
      await signInByCode(code);
    } catch (error) {
      // A server that had no time for it has not looked at the code: it is as good as before.
      if (!(error instanceof RequestFailed) || error.failure.isPassing) throw error;
      redirect({ to: "/login", search: { reason: "code" }, hash: "", replace: true, throw: true });
    }
    redirect({ to: "/", hash: "", replace: true, throw: true });
  },
});

/** Everything that needs a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "_in",
  component: Layout,
  async beforeLoad({ location }) {
    if (location.hash.startsWith("code=")) {
      redirect({ to: "/login", hash: location.hash, replace: true, throw: true });
    }
    try {
      await queries.ensureQueryData(whoamiQuery);
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.failure.status !== 401) throw error;
      redirect({ to: "/login", search: location.href === "/" ? {} : { to: location.href }, throw: true });
    }
  },
});

const fleet = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  component: lazyRouteComponent(() => import("./routes/fleet/fleet.tsx"), "Fleet"),
});

const access = createRoute({
  getParentRoute: () => signedIn,
  path: "/access",
  component: lazyRouteComponent(() => import("./routes/access/access.tsx"), "Access"),
  validateSearch: readAccessSearch,
});

const me = createRoute({
  getParentRoute: () => signedIn,
  path: "/me",
  component: lazyRouteComponent(() => import("./routes/me/me.tsx"), "Me"),
});

/** `bowline login --browser` leads here; what its link says is looked at there. */
const approve = createRoute({
  getParentRoute: () => signedIn,
  path: "/approve",
  component: lazyRouteComponent(() => import("./routes/approve/approve.tsx"), "Approve"),
});

interface ListSearch {
  readonly q?: string;
  readonly sort?: string;
  readonly desc?: boolean;
}

const clusters = createRoute({
  getParentRoute: () => signedIn,
  path: "/clusters",
  component: lazyRouteComponent(() => import("./routes/clusters/clusters.tsx"), "Clusters"),
  validateSearch: newSearch,
});

const clusterKinds = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/k",
  component: lazyRouteComponent(() => import("./routes/kinds/kinds.tsx"), "Kinds"),
});

const kindTable = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/k/$group/$version/$resource",
  component: lazyRouteComponent(() => import("./routes/kinds/kind-table.tsx"), "KindTable"),
  validateSearch: (search: Readonly<Record<string, unknown>>) => ({
    ...listSearch(search),
    ...textParameter("ns", search["ns"]),
    ...textParameter("l", search["l"]),
    ...(search["wide"] === true ? { wide: true } : {}),
    ...(search["trouble"] === true ? { trouble: true } : {}),
  }),
});

const clusterObject = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/o/$group/$version/$resource/$namespace/$name",
  component: lazyRouteComponent(() => import("./routes/object/object.tsx"), "ObjectPage"),
  validateSearch: ({ tab }) => textParameter("tab", tab),
});

const workloads = createRoute({
  getParentRoute: () => signedIn,
  path: "/workloads",
  component: lazyRouteComponent(() => import("./routes/workloads/workloads.tsx"), "Workloads"),
  validateSearch: newSearch,
});

const workload = createRoute({
  getParentRoute: () => signedIn,
  path: "/workloads/$name",
  component: lazyRouteComponent(() => import("./routes/workload/workload.tsx"), "Workload"),
  validateSearch: ({ tab }): { tab?: string } => textParameter("tab", tab),
});

const gateways = createRoute({
  getParentRoute: () => signedIn,
  path: "/gateways",
  component: lazyRouteComponent(() => import("./routes/gateways/gateways.tsx"), "Gateways"),
  validateSearch: listSearch,
});

const gateway = createRoute({
  getParentRoute: () => signedIn,
  path: "/gateways/$name",
  component: lazyRouteComponent(() => import("./routes/gateways/gateway.tsx"), "GatewayPage"),
  validateSearch: ({ tab }): { tab?: string } => textParameter("tab", tab),
});

const domainNames = createRoute({
  getParentRoute: () => signedIn,
  path: "/domains",
  component: lazyRouteComponent(() => import("./routes/domains/domain-names.tsx"), "DomainNames"),
  validateSearch: listSearch,
});

const domainName = createRoute({
  getParentRoute: () => signedIn,
  path: "/domains/$name",
  component: lazyRouteComponent(() => import("./routes/domains/domain-name.tsx"), "DomainNamePage"),
  validateSearch: ({ tab, q }): { tab?: string; q?: string } => ({
    ...textParameter("tab", tab),
    ...textParameter("q", q),
  }),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: "/events",
  component: lazyRouteComponent(() => import("./routes/events/events.tsx"), "Events"),
  validateSearch: (search) => ({ ...listSearch(search), ...eventSearch(search) }),
});

const sources = createRoute({
  getParentRoute: () => signedIn,
  path: "/sources",
  component: lazyRouteComponent(() => import("./routes/sources/sources.tsx"), "Sources"),
  validateSearch: (search): ListSearch & { open?: string; tab?: string } => ({
    ...listSearch(search),
    ...textParameter("open", search["open"]),
    ...textParameter("tab", search["tab"]),
  }),
});

const configSource = createRoute({
  getParentRoute: () => signedIn,
  path: "/sources/config/$name",
  component: lazyRouteComponent(() => import("./routes/sources/config-source.tsx"), "ConfigSourcePage"),
});

const monitoring = createRoute({
  getParentRoute: () => signedIn,
  path: "/monitoring",
  component: lazyRouteComponent(() => import("./routes/monitoring/monitoring.tsx"), "Monitoring"),
  validateSearch: ({ cluster }): { cluster?: string } => textParameter("cluster", cluster),
});

const metrics = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/metrics",
  component: lazyRouteComponent(() => import("./routes/metrics/metrics.tsx"), "ClusterMetrics"),
  validateSearch: metricsSearch,
});

const joinCluster = createRoute({
  getParentRoute: () => signedIn,
  path: "/clusters/add",
  component: lazyRouteComponent(() => import("./routes/join/join.tsx"), "Join"),
  validateSearch: ({ name }) => textParameter("name", name),
});

const cluster = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster",
  component: lazyRouteComponent(() => import("./routes/cluster/cluster.tsx"), "ClusterPage"),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: "/audit",
  component: lazyRouteComponent(() => import("./routes/audit/audit.tsx"), "Audit"),
  validateSearch: readAuditSearch,
});

interface LogSearch extends Partial<LogSettings> {
  readonly ns?: string;
  readonly pod?: string;
  /** Labels that pods must have, if no pod is named. */
  readonly l?: string;
  /** Further clusters with the same, separated by commas. */
  readonly clusters?: string;
}

const logs = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/logs",
  component: lazyRouteComponent(() => import("./routes/logs/logs.tsx"), "Logs"),
  validateSearch: ({ ns, pod, l, clusters: others, ...rest }): LogSearch => ({
    ...textParameter("ns", ns),
    ...textParameter("pod", pod),
    ...textParameter("l", l),
    ...textParameter("clusters", others),
    ...logSettings(rest),
  }),
});

const shell = createRoute({
  getParentRoute: () => signedIn,
  path: "/c/$cluster/shell",
  component: lazyRouteComponent(() => import("./routes/shell/shell.tsx"), "Shell"),
  validateSearch: ({ ns, pod, container }): { ns?: string; pod?: string; container?: string } => ({
    ...textParameter("ns", ns),
    ...textParameter("pod", pod),
    ...textParameter("container", container),
  }),
});

/** The filter and the order of a list are in the address, so that a link shows the same. */
function listSearch({ q, sort, desc }: Readonly<Record<string, unknown>>): ListSearch {
  return {
    ...textParameter("q", q),
    ...textParameter("sort", sort),
    ...(desc === true ? { desc } : {}),
  };
}

/** A list, and whether the dialog for another of its objects is open over it. */
function newSearch(search: Readonly<Record<string, unknown>>): ListSearch & { new?: boolean } {
  return { ...listSearch(search), ...(search["new"] === true ? { new: true } : {}) };
}

const graph = createRoute({
  getParentRoute: () => signedIn,
  path: "/graph",
  component: lazyRouteComponent(() => import("./routes/graph/graph.tsx"), "Graph"),
  validateSearch: readGraphSearch,
});

const ask = createRoute({
  getParentRoute: () => signedIn,
  path: "/ask",
  component: lazyRouteComponent(() => import("./routes/ask/ask.tsx"), "Ask"),
  validateSearch: readAskSearch,
});

const search = createRoute({
  getParentRoute: () => signedIn,
  path: "/search",
  component: lazyRouteComponent(() => import("./routes/search/search.tsx"), "Search"),
  validateSearch: listSearch,
});

/** A page that shows every state of a screen; the page that is served has none of it. */
const ofDevelopment =
  import.meta.env.MODE === "production"
    ? []
    : [
        createRoute({
          getParentRoute: () => root,
          path: "/dev/states",
          component: lazyRouteComponent(() => import("./routes/dev/states-page.tsx"), "StatesPage"),
        }),
      ];

function textParameter<Name extends string>(name: Name, value: unknown): { [key in Name]?: string } {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? ({ [name]: text } as { [key in Name]?: string }) : {};
}

const ofObjects = [clusterKinds, kindTable, clusterObject] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    ...ofDevelopment,
    signedIn.addChildren([
      fleet,
      clusters,
      workloads,
      workload,
      gateways,
      gateway,
      domainNames,
      domainName,
      events,
      sources,
      configSource,
      monitoring,
      metrics,
      joinCluster,
      cluster,
      audit,
      logs,
      shell,
      graph,
      ask,
      search,
      ...ofObjects,
      access,
      me,
      approve,
    ]),
  ]),
  basepath: "/ui",
  defaultErrorComponent: PageFailed,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/**
 * Who may import whom. Imports go down only; a folder that is not listed may not exist, so that adding one is a
 * decision somebody makes here.
 */
export interface BoundaryRule {
  /** Folders of ours that any source in this folder may import. */
  readonly may: readonly string[];
  /** Folders that may be imported only by `await import()`, so that they load when they are asked for. */
  readonly lazily?: readonly string[];
  /** Its folders may import each other both ways. */
  readonly allowsCycles?: boolean;
  /** Of a package: whether it may open a port. Other libraries are handed their sockets by an app. */
  readonly listens?: boolean;
}

export const boundaryRules: Readonly<Record<string, BoundaryRule>> = {
  "packages/core": { may: [] },
  "packages/program": { may: ["packages/core"], listens: true },
  "packages/manifests": { may: ["packages/core"] },
  "packages/api": { may: ["packages/core", "packages/manifests"] },
  "packages/install": { may: ["packages/core", "packages/api", "packages/program"] },
  "packages/render": { may: ["packages/core", "packages/manifests"] },
  "packages/git": { may: ["packages/core"] },
  "packages/dns": { may: ["packages/core"] },
  "packages/kube": { may: ["packages/core"] },
  "packages/health": { may: ["packages/core"] },
  "packages/graph": { may: ["packages/core"] },
  "packages/neo4j": { may: ["packages/core", "packages/graph"] },
  "packages/runtime": { may: ["packages/core"] },
  "packages/monitoring": { may: ["packages/core", "packages/api"] },
  "packages/client": { may: ["packages/core", "packages/api"] },
  "packages/protocol": { may: ["packages/core"] },
  // Of the providers only what a record is.
  "packages/store": { may: ["packages/core", "packages/api", "packages/providers", "packages/runtime"] },
  "packages/workloads": { may: ["packages/core", "packages/kube", "packages/manifests", "packages/store"] },
  "packages/providers": { may: ["packages/core", "packages/api", "packages/dns", "packages/kube"] },
  "packages/tls": { may: [] },
  "packages/auth": { may: ["packages/core", "packages/api", "packages/store"] },
  "packages/gateway": {
    may: [
      "packages/core",
      "packages/api",
      "packages/graph",
      "packages/kube",
      "packages/protocol",
      "packages/runtime",
      "packages/store",
      "packages/tls",
    ],
  },
  "apps/cli": {
    may: [
      "packages/core",
      "packages/program",
      "packages/api",
      "packages/client",
      "packages/graph",
      "packages/health",
      "packages/install",
      // Its types; the client itself is loaded when a cluster is asked for.
      "packages/kube",
      "packages/manifests",
      "packages/monitoring",
      "packages/providers",
      "packages/render",
      "packages/tls",
    ],
    lazily: [
      "apps/server",
      "apps/agent",
      "apps/operator",
      "apps/demo",
      "packages/auth",
      "packages/neo4j",
      "packages/providers",
    ],
  },
  "apps/server": {
    may: [
      "packages/core",
      "packages/program",
      "packages/api",
      "packages/auth",
      "packages/dns",
      "packages/gateway",
      "packages/git",
      "packages/graph",
      "packages/health",
      "packages/kube",
      "packages/manifests",
      "packages/neo4j",
      "packages/protocol",
      "packages/providers",
      "packages/render",
      "packages/runtime",
      "packages/store",
      "packages/tls",
      "packages/workloads",
    ],
  },
  "apps/agent": {
    may: [
      "packages/core",
      "packages/program",
      // Its tests only: the definition of the custom resource that the agent watches.
      "packages/api",
      "packages/graph",
      "packages/health",
      "packages/kube",
      "packages/protocol",
      "packages/tls",
    ],
  },
  "apps/operator": {
    may: ["packages/core", "packages/program", "packages/kube", "packages/monitoring", "packages/runtime"],
  },
  "apps/demo": {
    may: [
      "packages/core",
      "packages/api",
      "packages/client",
      "packages/kube",
      "apps/server",
      "apps/agent",
      "testing/kubesim",
    ],
  },
  "apps/web": {
    may: ["packages/core", "packages/api", "packages/client", "packages/health", "packages/kube"],
  },
  "testing/aws": { may: ["packages/core"] },
  "testing/services": { may: ["packages/core"] },
  "testing/cluster": { may: ["packages/core", "packaging", "testing/services"] },
  // Its store, schemas and applies are one tangle that has yet to be undone.
  "testing/kubesim": { may: ["packages/core", "packages/program"], allowsCycles: true },
  "testing/contract": { may: ["packages/core", "packages/kube", "testing/kubesim", "testing/cluster"] },
  "testing/gateway": {
    may: [
      "packages/core",
      "packages/kube",
      "packages/runtime",
      "packages/program",
      "testing/services",
      "testing/kubesim",
      "testing/contract",
    ],
  },
  "testing/browser": {
    may: [
      "packages/core",
      "packages/api",
      "packages/client",
      "apps/server",
      "apps/agent",
      "testing/services",
      "testing/cluster",
      "testing/kubesim",
    ],
  },
  // The programs themselves it only names, to the bundler.
  packaging: { may: ["packages/core", "packages/program"] },
  bench: {
    may: [
      "packaging",
      "packages/core",
      "packages/program",
      "packages/api",
      "packages/graph",
      "packages/kube",
      "packages/monitoring",
      "packages/protocol",
      "packages/render",
      "packages/runtime",
      "packages/store",
      "packages/tls",
      "apps/server",
      "apps/agent",
      "testing/aws",
      "testing/browser",
      "testing/services",
      "testing/cluster",
      "testing/gateway",
      "testing/kubesim",
    ],
  },
};

/** Tests may use the test parts as well, whatever folder they are in. */
export const testingFolders: readonly string[] = [
  "packaging",
  "testing/aws",
  "testing/services",
  "testing/cluster",
  "testing/kubesim",
  "testing/gateway",
];

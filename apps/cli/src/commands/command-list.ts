import type { CommandSet, ListedCommand } from "../command/command-set.ts";

/** Every command, in the order in which help lists them. To add one, add a line. */
const commandList: readonly ListedCommand[] = [
  {
    name: "get",
    group: "objects",
    summary: "Show objects",
    load: async () => (await import("./get.ts")).addGetCommand,
  },
  {
    name: "describe",
    group: "objects",
    summary: "Show everything about objects",
    load: async () => (await import("./describe/describe.ts")).addDescribeCommand,
  },
  {
    name: "apply",
    group: "objects",
    summary: "Make objects what files say",
    load: async () => (await import("./apply.ts")).addApplyCommand,
  },
  {
    name: "deploy",
    group: "objects",
    summary: "Deploy Kubernetes manifests to clusters",
    load: async () => (await import("./deploy/deploy.ts")).addDeployCommand,
  },
  {
    name: "approve",
    group: "objects",
    summary: "Agree to what a workload instance holds back",
    load: async () => (await import("./approve/approve.ts")).addApproveCommand,
  },
  {
    name: "create",
    group: "objects",
    summary: "Create the objects in files",
    load: async () => (await import("./create.ts")).addCreateCommand,
  },
  {
    name: "diff",
    group: "objects",
    summary: "Show what apply would change",
    load: async () => (await import("./diff.ts")).addDiffCommand,
  },
  {
    name: "edit",
    group: "objects",
    summary: "Change an object in your editor",
    load: async () => (await import("./edit.ts")).addEditCommand,
  },
  {
    name: "label",
    group: "objects",
    summary: "Set labels of objects",
    load: async () => (await import("./label.ts")).addLabelCommand,
  },
  {
    name: "annotate",
    group: "objects",
    summary: "Set annotations of objects",
    load: async () => (await import("./label.ts")).addAnnotateCommand,
  },
  {
    name: "delete",
    group: "objects",
    summary: "Delete objects",
    load: async () => (await import("./delete.ts")).addDeleteCommand,
  },
  {
    name: "wait",
    group: "objects",
    summary: "Wait until objects are in a state",
    load: async () => (await import("./wait.ts")).addWaitCommand,
  },
  {
    name: "events",
    group: "objects",
    summary: "Show what happened to objects",
    load: async () => (await import("./events.ts")).addEventsCommand,
  },
  {
    name: "login",
    group: "connect",
    summary: "Sign in to a server and remember it",
    load: async () => (await import("./login.ts")).addLoginCommand,
  },
  {
    name: "logout",
    group: "connect",
    summary: "Forget the token of a server",
    load: async () => (await import("./login.ts")).addLogoutCommand,
  },
  {
    name: "context",
    group: "connect",
    summary: "List, choose and change the servers this machine knows",
    load: async () => (await import("./context.ts")).addContextCommand,
  },
  {
    name: "whoami",
    group: "connect",
    summary: "Show who the server takes you for",
    load: async () => (await import("./whoami.ts")).addWhoamiCommand,
  },
  {
    name: "cluster",
    group: "clusters",
    summary: "Look after clusters and their agents",
    load: async () => (await import("./cluster/cluster.ts")).addClusterCommand,
  },
  {
    name: "kubeconfig",
    group: "clusters",
    summary: "Let kubectl reach clusters through the server",
    load: async () => (await import("./kubeconfig.ts")).addKubeconfigCommand,
  },
  {
    name: "kubectl",
    group: "clusters",
    summary: "Run kubectl against a cluster",
    load: async () => (await import("./kubectl.ts")).addKubectlCommand,
  },
  {
    name: "credential",
    group: "clusters",
    summary: "Give kubectl the token of a context",
    load: async () => (await import("./credential.ts")).addCredentialCommand,
  },
  {
    name: "health",
    group: "clusters",
    summary: "Judge the health of Kubernetes objects in files",
    load: async () => (await import("./health.ts")).addHealthCommand,
  },
  {
    name: "metrics",
    group: "clusters",
    summary: "See what becomes of ServiceMonitors and other monitors",
    load: async () => (await import("./metrics/metrics.ts")).addMetricsCommand,
  },
  {
    name: "token",
    group: "manage",
    summary: "Create, list and revoke tokens",
    load: async () => (await import("./token.ts")).addTokenCommand,
  },
  {
    name: "audit",
    group: "manage",
    summary: "Show who did what",
    load: async () => (await import("./audit.ts")).addAuditCommand,
  },
  {
    name: "api-kinds",
    group: "learn",
    summary: "List the kinds of objects",
    load: async () => (await import("./api-kinds.ts")).addApiKindsCommand,
  },
  {
    name: "explain",
    group: "learn",
    summary: "Explain a kind or a field of it",
    load: async () => (await import("./explain.ts")).addExplainCommand,
  },
  {
    name: "completion",
    group: "learn",
    summary: "Let a shell complete commands, kinds and names",
    load: async () => (await import("./completion/completion.ts")).addCompletionCommand,
  },
  {
    name: "__complete",
    group: "learn",
    summary: "Print what may follow on a command line",
    hidden: true,
    load: async () => (await import("./completion/complete.ts")).addCompleteCommand,
  },
  {
    name: "version",
    group: "learn",
    summary: "Show the versions of this program and of the server",
    load: async () => (await import("./version.ts")).addVersionCommand,
  },
  {
    name: "server",
    group: "run",
    summary: "Run a server",
    load: async () => (await import("./server/server.ts")).loadServerCommand(),
  },
  {
    name: "agent",
    group: "run",
    summary: "Run the agent of a cluster",
    load: async () => (await import("./agent.ts")).loadAgentCommand(),
  },
  {
    name: "operator",
    group: "run",
    summary: "Run the monitoring operator of a cluster",
    load: async () => (await import("./operator.ts")).loadOperatorCommand(),
  },
  {
    name: "demo",
    group: "run",
    summary: "Run a server with two simulated clusters, to look around",
    load: async () => (await import("./demo/demo.ts")).addDemoCommand,
  },
];

export const allCommands: CommandSet = {
  commands: commandList,
  examples: [
    { does: "Sign in to a server", run: "bowline login https://bowline.example.com" },
    { does: "List clusters", run: "bowline get clusters" },
    { does: "Make objects what a file says", run: "bowline apply -f cluster.yaml" },
  ],
};

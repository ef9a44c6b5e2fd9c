/** The providers that make clusters, and what they make them of. */
export const makers = {
  kind: "kind: containers of the machine that the server runs on",
  eks: "eks: Amazon EKS",
  clusterapi: "clusterapi: Cluster API, in a cluster that is here already",
  exec: "exec: a program that the server's settings name",
} as const;
export type Maker = keyof typeof makers;

/** What somebody has filled in to have a cluster made: texts as they were typed, since what is right the server says. */
export interface ClusterForm {
  readonly provider: Maker;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly region: string;
  /** Of exec. */
  readonly program: string;
  /** One in each line. */
  readonly args: string;
  readonly kubernetesVersion: string;
  readonly nodes: string;
  /** Of eks. */
  readonly nodeType: string;
  readonly credential: string;
  /** Of clusterapi, made of a ClusterClass or of a WorkloadDefinition. */
  readonly managementCluster: string;
  readonly madeOf: "class" | "template";
  readonly clusterClass: string;
  readonly template: string;
  readonly maxNodes: string;
  /** In the reader's own time, as a field for it has it. */
  readonly endsAt: string;
  readonly autoDelete: boolean;
  readonly protect: boolean;
}

export const emptyForm: ClusterForm = {
  provider: "kind",
  name: "",
  labels: {},
  region: "",
  program: "",
  args: "",
  kubernetesVersion: "",
  nodes: "",
  nodeType: "",
  credential: "",
  managementCluster: "",
  madeOf: "class",
  clusterClass: "",
  template: "",
  maxNodes: "",
  endsAt: "",
  autoDelete: false,
  protect: false,
};

/** What is written; fields that nobody filled in are left out, and the server says which it needs. */
export interface ClusterBody {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function clusterBody(form: ClusterForm): ClusterBody {
  const { provider, name, labels, region, maxNodes, endsAt, autoDelete, protect } = form;
  return {
    metadata: { name: name.trim(), labels },
    spec: {
      provider,
      ...filled({
        region,
        [provider]: settingsOf[provider](form),
        maxNodes: numberIn(maxNodes),
        expiresAt: momentIn(endsAt),
        autoDelete,
        protect,
      }),
    },
  };
}

type Settings = Readonly<Record<string, unknown>> | undefined;

const settingsOf: Readonly<Record<Maker, (form: ClusterForm) => Settings>> = {
  exec: ({ program, args }) => ({ ...filled({ command: program }), ...listed({ args: linesIn(args) }) }),
  kind: ({ kubernetesVersion, nodes }) => {
    const settings = filled({ kubernetesVersion, nodes: numberIn(nodes) });
    // The provider has no need of any.
    return Object.keys(settings).length === 0 ? undefined : settings;
  },
  clusterapi: (form) => ({ ...filled({ managementCluster: form.managementCluster }), ...madeOf(form) }),
  eks: ({ kubernetesVersion, credential, nodeType, nodes }) => {
    const count = numberIn(nodes === "" ? usualMachines : nodes);
    return {
      ...filled({ kubernetesVersion, credential }),
      nodeGroups: [{ name: "nodes", ...filled({ instanceType: nodeType }), minSize: count, maxSize: count }],
    };
  },
};

/** As many as the command line asks for when nobody says how many; the plan tells what they cost. */
const usualMachines = "2";

function madeOf({ madeOf: source, clusterClass, template, kubernetesVersion, nodes }: ClusterForm): object {
  if (source === "template") return { template: filled({ definition: template }) };
  const controlPlaneReplicas = numberIn(nodes);
  return { topology: filled({ class: clusterClass, kubernetesVersion, controlPlaneReplicas }) };
}

function filled(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(
    known.filter(([, value]) => value !== "" && value !== undefined && value !== false),
  );
}

function listed(lists: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0));
}

function linesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** What is no moment stays as it is, and the server says what it expects: a year may be typed with a digit too many. */
function momentIn(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

/** What is no number stays as it is, and the server says what it expects. */
function numberIn(text: string): number | string {
  const trimmed = text.trim();
  return /^\d{1,9}$/u.test(trimmed) ? Number(trimmed) : trimmed;
}

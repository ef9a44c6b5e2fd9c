import type { Static } from "typebox";

import {
  choice,
  flag,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import {
  dnsLabel,
  duration,
  identifier,
  kubernetesVersion,
  labelValue,
  qualifiedName,
  singleLine,
  type TextRule,
} from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";

/** Where clusters come from; all but the first are made by Bowline. */
export const clusterProviders = ["existing", "exec", "clusterapi", "kind", "eks"] as const;
export type ClusterProvider = (typeof clusterProviders)[number];

const environmentVariable = object("A value of a Credential, in the environment of the program.", {
  name: text("The name of the variable.", identifier),
  credential: text("Name of the Credential.", dnsLabel),
  key: line("The key of the Credential that has the value.", singleLine, 63),
});

export const execSettings = object("Settings of the provider `exec`: a program that makes clusters.", {
  command: text(
    "The program, by the name that the settings of the server give it; others are not started.",
    dnsLabel,
  ),
  args: optional(list("Arguments of the program.", line("An argument.", singleLine, 1024), { maxItems: 50 })),
  env: optional(
    list("Secrets that the program gets.", environmentVariable, { maxItems: 50, uniqueBy: "name" }),
  ),
  timeout: optional(
    text("How long one call of the program may take; 30s if missing, 10m at most.", duration),
  ),
});

export const kindSettings = object("Settings of the provider `kind`.", {
  kubernetesVersion: optional(
    text("The Kubernetes version to run; missing for the newest that kind knows.", kubernetesVersion),
  ),
  nodes: withDefault(
    integer("How many nodes, the control plane among them.", { minimum: 1, maximum: 20 }),
    1,
  ),
  image: optional(line("The image of the nodes, instead of kind's own for the version.", singleLine, 255)),
  ports: optional(
    list(
      "Ports of this machine that lead to the first node.",
      object("A port of this machine and the port of the node that it leads to.", {
        host: integer("The port of this machine.", { minimum: 1, maximum: 65_535 }),
        node: integer("The port of the node.", { minimum: 1, maximum: 65_535 }),
      }),
      { maxItems: 50, uniqueBy: "host" },
    ),
  ),
  engine: optional(
    choice("What runs the nodes; missing for the one that kind finds.", ["docker", "podman", "nerdctl"]),
  ),
});

const topology = object("A cluster of a ClusterClass.", {
  class: text("Name of the ClusterClass.", dnsLabel),
  kubernetesVersion: text("The Kubernetes version to run.", kubernetesVersion),
  controlPlaneReplicas: withDefault(
    integer("How many machines have the control plane.", { minimum: 1, maximum: 9 }),
    1,
  ),
  workers: optional(
    list(
      "The other machines.",
      object("Machines of one class.", {
        class: text("The class of the machines, in the ClusterClass.", dnsLabel),
        name: text("Tells the groups of a cluster apart.", dnsLabel),
        replicas: integer("How many machines.", { minimum: 0, maximum: 5000 }),
      }),
      { maxItems: 50, uniqueBy: "name" },
    ),
  ),
  variables: optional(
    map("Values for variables of the ClusterClass.", text("The value.", { maxLength: 4096 }), {
      keys: identifier,
      maxProperties: 100,
    }),
  ),
});

const clusterTemplate = object("Objects of Cluster API that a WorkloadDefinition renders.", {
  definition: text("Name of the WorkloadDefinition; one of its objects is the Cluster.", dnsLabel),
  parameters: withDefault(
    map("Values for its parameters.", text("The value.", { maxLength: 4096 }), {
      keys: identifier,
      maxProperties: 100,
    }),
    {},
  ),
});

export const clusterApiSettings = object(
  "Settings of the provider `clusterapi`: Cluster API in a management cluster makes it. Either `template` or `topology`.",
  {
    managementCluster: text("Name of the Cluster that runs Cluster API.", dnsLabel),
    namespace: withDefault(text("The namespace of the objects in it.", dnsLabel), "default"),
    template: optional(clusterTemplate),
    topology: optional(topology),
  },
);

const instanceType: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
  expects: "an instance type such as m7g.large",
  minLength: 1,
  maxLength: 63,
};

const awsId: TextRule = {
  pattern: "^[a-z]+-[0-9a-f]{8,17}$",
  expects: "an id of AWS such as vpc-0a1b2c3d4e5f67890",
  maxLength: 40,
};

const cidr: TextRule = {
  pattern: "^[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}$",
  expects: "a range of addresses such as 10.0.0.0/16",
  maxLength: 18,
};

const taint = object("Keeps pods away that do not tolerate it.", {
  key: text("The key.", qualifiedName),
  value: optional(text("The value.", labelValue)),
  effect: choice("What becomes of pods that do not.", ["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});

const nodeGroup = object("Machines of one type.", {
  name: text("Tells the groups of a cluster apart.", dnsLabel),
  instanceType: text("The type of the machines.", instanceType),
  minSize: withDefault(integer("Never fewer machines than this.", { minimum: 0, maximum: 1000 }), 1),
  maxSize: integer("Never more machines than this.", { minimum: 1, maximum: 1000 }),
  desired: optional(
    integer("How many there are at first; minSize if missing.", { minimum: 0, maximum: 1000 }),
  ),
  diskGiB: optional(integer("The disk of each machine.", { minimum: 8, maximum: 16_384 })),
  capacity: withDefault(choice("How they are paid for.", ["onDemand", "spot"]), "onDemand"),
  labels: optional(
    map("Labels of the nodes.", text("The value.", labelValue), { keys: qualifiedName, maxProperties: 50 }),
  ),
  taints: optional(list("Taints of the nodes.", taint, { maxItems: 50 })),
});

const network = object("The network of the cluster; what is missing is made.", {
  vpcId: optional(text("A VPC that exists. Nothing of it is changed or deleted.", awsId)),
  subnetIds: optional(
    list("Its subnets, in two zones at least.", text("A subnet.", awsId), {
      minItems: 2,
      maxItems: 16,
      unique: true,
    }),
  ),
  cidr: optional(text("The addresses of the VPC to make; 10.0.0.0/16 if missing.", cidr)),
  highAvailability: withDefault(flag("One NAT gateway for each zone, instead of one."), false),
  privateEndpoint: withDefault(flag("The API server is reached from the VPC only."), false),
});

export const eksSettings = object("Settings of the provider `eks`; `region` has to be set too.", {
  credential: optional(
    text(
      "Name of the Credential of type `aws` to use; missing where the server has an identity of its own.",
      dnsLabel,
    ),
  ),
  kubernetesVersion: optional(
    text("The Kubernetes version to run; missing for what AWS takes by default.", kubernetesVersion),
  ),
  network: optional(network),
  nodeGroups: list("The machines of the cluster.", nodeGroup, {
    minItems: 1,
    maxItems: 20,
    uniqueBy: "name",
  }),
});

export type ExecSettings = Static<typeof execSettings>;
export type KindSettings = Static<typeof kindSettings>;
export type ClusterApiSettings = Static<typeof clusterApiSettings>;
export type EksSettings = Static<typeof eksSettings>;

interface ProviderChoice {
  readonly provider: ClusterProvider;
  readonly region?: string;
  readonly exec?: ExecSettings;
  readonly kind?: KindSettings;
  readonly clusterapi?: ClusterApiSettings;
  readonly eks?: EksSettings;
  readonly maxNodes?: number;
}

/** Every provider but `existing` has settings of its name; those of `kind` may be left out. */
const settingsRequired = { exec: true, clusterapi: true, kind: false, eks: true } as const;

/** Settings of a provider that was not chosen would do nothing, and whoever wrote them expects something. */
export function providerProblems(cluster: ProviderChoice): Problem[] {
  const problems: Problem[] = [];
  for (const provider of ["exec", "clusterapi", "kind", "eks"] as const) {
    const isGiven = cluster[provider] !== undefined;
    const isChosen = cluster.provider === provider;
    const path = `spec.${provider}`;
    if (isGiven && !isChosen) {
      problems.push({ path, message: `is only allowed when spec.provider is ${provider}` });
    }
    if (!isGiven && isChosen && settingsRequired[provider]) {
      problems.push({ path, message: `is required when spec.provider is ${provider}` });
    }
  }
  if (cluster.provider === "eks" && cluster.region === undefined) {
    problems.push({ path: "spec.region", message: "is required when spec.provider is eks" });
  }
  return [
    ...problems,
    ...kindProblems(cluster),
    ...(cluster.clusterapi === undefined ? [] : clusterApiProblems(cluster.clusterapi)),
    ...(cluster.eks === undefined ? [] : eksProblems(cluster.eks, cluster.maxNodes)),
  ];
}

function kindProblems({ kind, maxNodes }: ProviderChoice): Problem[] {
  if (kind === undefined || maxNodes === undefined || kind.nodes <= maxNodes) return [];
  return [{ path: "spec.kind.nodes", message: `must be at most spec.maxNodes, which is ${maxNodes}` }];
}

function clusterApiProblems({ template, topology: wanted }: ClusterApiSettings): Problem[] {
  if ((template === undefined) !== (wanted === undefined)) return [];
  return [{ path: "spec.clusterapi", message: "must have either template or topology" }];
}

function eksProblems({ nodeGroups, network: wanted }: EksSettings, maxNodes: number | undefined): Problem[] {
  const problems: Problem[] = nodeGroups.flatMap(({ minSize, maxSize, desired = minSize }, index) => {
    const path = `spec.eks.nodeGroups[${index}]`;
    if (minSize > maxSize) {
      return [{ path: `${path}.minSize`, message: `must be at most maxSize, which is ${maxSize}` }];
    }
    return desired < minSize || desired > maxSize
      ? [
          {
            path: `${path}.desired`,
            message: `must be between minSize and maxSize, ${minSize} and ${maxSize}`,
          },
        ]
      : [];
  });
  const most = nodeGroups.reduce((sum, { maxSize }) => sum + maxSize, 0);
  if (maxNodes !== undefined && most > maxNodes) {
    problems.push({
      path: "spec.eks.nodeGroups",
      message: `may have ${most} machines together, which is more than spec.maxNodes, ${maxNodes}`,
    });
  }
  if ((wanted?.vpcId === undefined) !== (wanted?.subnetIds === undefined)) {
    problems.push({ path: "spec.eks.network", message: "must have both vpcId and subnetIds, or neither" });
  }
  if (wanted?.vpcId !== undefined && wanted.cidr !== undefined) {
    problems.push({ path: "spec.eks.network.cidr", message: "is only allowed without vpcId" });
  }
  return problems;
}

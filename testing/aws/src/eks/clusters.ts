import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { EksCluster } from "../world/things.ts";
import {
  objectOf,
  optionalText,
  seconds,
  textMap,
  textOf,
  textsOf,
  type EksRoute,
  type JsonObject,
} from "./eks-action.ts";
import { newUpdate, tokenOf, updateBefore, updateView, versionAfter } from "./updates.ts";

export const clusterRoutes: readonly EksRoute[] = [
  {
    action: "CreateCluster",
    method: "POST",
    path: "/clusters",
    answer: ({ body }, call) => create(body, call),
  },
  {
    action: "ListClusters",
    method: "GET",
    path: "/clusters",
    answer: (_request, call) => {
      call.allow({ action: "eks:ListClusters", resource: "*" });
      return { clusters: call.world.clusters.listed.map(({ id }) => id) };
    },
  },
  {
    action: "DescribeCluster",
    method: "GET",
    path: "/clusters/*",
    answer: ({ names: [name = ""] }, call) => {
      call.allow({ action: "eks:DescribeCluster", resource: call.world.arn("eks", `cluster/${name}`) });
      return { cluster: view(call.world.clusters.get(name), call) };
    },
  },
  {
    action: "DeleteCluster",
    method: "DELETE",
    path: "/clusters/*",
    answer: ({ names: [name = ""] }, call) => remove(name, call),
  },
  {
    action: "UpdateClusterVersion",
    method: "POST",
    path: "/clusters/*/updates",
    answer: ({ names: [name = ""], body }, call) => updateVersion(name, body, call),
  },
  {
    action: "DescribeClusterVersions",
    method: "GET",
    path: "/cluster-versions",
    answer: (_request, call) => {
      call.allow({ action: "eks:DescribeClusterVersions", resource: "*" });
      return {
        clusterVersions: call.world.settings.versions.map((clusterVersion, at) => ({
          clusterVersion,
          defaultVersion: at === 0,
          status: "STANDARD_SUPPORT",
        })),
      };
    },
  },
];

function create(body: JsonObject, call: ApiCall): JsonObject {
  const { world } = call;
  const name = textOf(body, "name");
  const tags = textMap(body["tags"]);
  const arn = world.arn("eks", `cluster/${name}`);
  const roleArn = textOf(body, "roleArn");
  call.allow({ action: "eks:CreateCluster", resource: arn, requestTags: tags });
  call.allow({ action: "eks:TagResource", resource: arn, requestTags: tags });
  call.allow({
    action: "iam:PassRole",
    resource: roleArn,
    context: { "iam:PassedToService": "eks.amazonaws.com" },
  });
  const clientToken = optionalText(body, "clientRequestToken");
  const before = world.clusters.peek(name);
  if (before !== undefined) {
    if (before.clientToken === clientToken && clientToken !== undefined)
      return { cluster: view(before, call) };
    throw new AwsFailure("ResourceInUseException", `Cluster already exists with name: ${name}`, 409);
  }
  if (world.clusters.all.length >= world.settings.quotas.clusters) {
    throw new AwsFailure("ResourceLimitExceededException", "Cluster limit exceeded");
  }
  if (!world.roles.all.some((role) => role.arn === roleArn)) {
    throw new AwsFailure("InvalidParameterException", "Role with arn does not exist");
  }
  const network = objectOf(body["resourcesVpcConfig"]);
  const subnets = textsOf(network["subnetIds"]).map((id) => world.subnets.get(id));
  const [first] = subnets;
  if (first === undefined || new Set(subnets.map(({ zone }) => zone)).size < 2) {
    throw new AwsFailure(
      "InvalidParameterException",
      "Subnets specified must be in at least two different AZs",
    );
  }
  const version = optionalText(body, "version") ?? world.settings.versions[0] ?? "";
  if (!world.settings.versions.includes(version)) {
    throw new AwsFailure("InvalidParameterException", `unsupported Kubernetes version ${version}`);
  }
  const failure = world.settings.clusterFailure;
  world.settings.clusterFailure = undefined;
  const made = world.clusters.add({
    ...world.thing(name, arn, tags),
    version,
    roleArn,
    vpcId: first.vpcId,
    subnetIds: subnets.map(({ id }) => id),
    settings: body,
    clientToken,
    readyAtMs: world.clock.now() + world.settings.times.clusterMs,
    failure,
  });
  addOwnInterfaces(made, call);
  return { cluster: view(made, call) };
}

/** The control plane has an interface in each subnet, and a security group; both go with it. */
function addOwnInterfaces({ id, vpcId, subnetIds }: EksCluster, { world }: ApiCall): void {
  const group = world.securityGroups.add({
    ...world.thing(`sg-${id}`, world.arn("ec2", `security-group/sg-${id}`), {
      "aws:eks:cluster-name": id,
      [`kubernetes.io/cluster/${id}`]: "owned",
    }),
    vpcId,
    name: `eks-cluster-sg-${id}`,
  });
  for (const subnetId of subnetIds) {
    const interfaceId = `eni-${id}-${subnetId}`;
    world.interfaces.add({
      ...world.thing(interfaceId, world.arn("ec2", `network-interface/${interfaceId}`)),
      vpcId,
      subnetId,
      description: `Amazon EKS ${id}`,
      interfaceType: "interface",
      groupIds: [group.id],
      status: "in-use",
    });
  }
}

function remove(name: string, call: ApiCall): JsonObject {
  const { world } = call;
  const cluster = world.clusters.get(name);
  call.allow({ action: "eks:DeleteCluster", resource: cluster.arn, resourceTags: cluster.tags });
  if (world.nodegroups.all.some((group) => group.cluster === name)) {
    throw new AwsFailure("ResourceInUseException", "Cluster has nodegroups attached", 409);
  }
  if (statusOf(cluster, call) === "CREATING" || statusOf(cluster, call) === "UPDATING") {
    throw new AwsFailure("ResourceInUseException", `Cluster ${name} has an operation in progress`, 409);
  }
  if (cluster.goneAtMs === undefined) {
    cluster.goneAtMs = world.clock.now() + world.settings.times.clusterGoneMs;
    for (const each of world.interfaces.all) {
      if (each.description === `Amazon EKS ${name}`) each.goneAtMs = cluster.goneAtMs;
    }
    const group = world.securityGroups.peek(`sg-${name}`);
    if (group !== undefined) group.goneAtMs = cluster.goneAtMs;
    for (const entry of world.accessEntries.all) {
      if (entry.cluster === name) entry.goneAtMs = cluster.goneAtMs;
    }
  }
  return { cluster: view(cluster, call) };
}

function updateVersion(name: string, body: JsonObject, call: ApiCall): JsonObject {
  const { clusters, settings } = call.world;
  const cluster = clusters.get(name);
  call.allow({ action: "eks:UpdateClusterVersion", resource: cluster.arn, resourceTags: cluster.tags });
  const version = textOf(body, "version");
  const wanted = { cluster: name, version, type: "VersionUpdate", ...tokenOf(body) } as const;
  const before = updateBefore(wanted, call);
  if (before !== undefined) return { update: updateView(before, call) };
  if (statusOf(cluster, call) !== "ACTIVE") {
    throw new AwsFailure("ResourceInUseException", `Cluster ${name} has an operation in progress`, 409);
  }
  if (minorOf(version) !== minorOf(cluster.version) + 1 || !settings.versions.includes(version)) {
    throw new AwsFailure("InvalidParameterException", `Unsupported Kubernetes minor version update`);
  }
  cluster.update = newUpdate(wanted, settings.times.clusterUpdateMs, call);
  return { update: updateView(cluster.update, call) };
}

export function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

function statusOf(cluster: EksCluster, { world }: ApiCall): string {
  const nowMs = world.clock.now();
  if (cluster.goneAtMs !== undefined) return "DELETING";
  if (cluster.readyAtMs > nowMs) return "CREATING";
  if (cluster.failure !== undefined) return "FAILED";
  if (cluster.update === undefined) return "ACTIVE";
  if (cluster.update.endsAtMs > nowMs) return "UPDATING";
  cluster.version = versionAfter(cluster.update, cluster.version);
  delete cluster.update;
  return "ACTIVE";
}

function view(cluster: EksCluster, call: ApiCall): JsonObject {
  const status = statusOf(cluster, call);
  const { id, arn, version, roleArn, vpcId, subnetIds, tags, settings, failure, madeAtMs } = cluster;
  const endpoint = call.world.settings.endpoint(id);
  const isUp = status === "ACTIVE" || status === "UPDATING";
  return {
    name: id,
    arn,
    createdAt: seconds(madeAtMs),
    version,
    roleArn,
    status,
    tags,
    resourcesVpcConfig: { ...objectOf(settings["resourcesVpcConfig"]), vpcId, subnetIds },
    accessConfig: settings["accessConfig"],
    health: { issues: status === "FAILED" ? [failure] : [] },
    ...(isUp
      ? {
          endpoint: endpoint.url,
          certificateAuthority: { data: Buffer.from(endpoint.caCert).toString("base64") },
        }
      : {}),
  };
}

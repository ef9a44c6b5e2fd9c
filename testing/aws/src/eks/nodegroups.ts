import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { Nodegroup, NodegroupScaling } from "../world/things.ts";
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
import { minorOf } from "./clusters.ts";
import { newUpdate, tokenOf, updateBefore, updateView, versionAfter } from "./updates.ts";

export const nodegroupRoutes: readonly EksRoute[] = [
  {
    action: "CreateNodegroup",
    method: "POST",
    path: "/clusters/*/node-groups",
    answer: ({ names: [cluster = ""], body }, call) => create(cluster, body, call),
  },
  {
    action: "ListNodegroups",
    method: "GET",
    path: "/clusters/*/node-groups",
    answer: ({ names: [cluster = ""] }, call) => {
      const found = call.world.clusters.get(cluster);
      call.allow({ action: "eks:ListNodegroups", resource: found.arn });
      const names = call.world.nodegroups.listed.filter((group) => group.cluster === cluster);
      return { nodegroups: names.map(({ name }) => name) };
    },
  },
  {
    action: "DescribeNodegroup",
    method: "GET",
    path: "/clusters/*/node-groups/*",
    answer: ({ names: [cluster, name] }, call) => {
      const group = call.world.nodegroups.get(`${cluster}/${name}`);
      call.allow({ action: "eks:DescribeNodegroup", resource: group.arn });
      return { nodegroup: view(group, call) };
    },
  },
  {
    action: "DeleteNodegroup",
    method: "DELETE",
    path: "/clusters/*/node-groups/*",
    answer: ({ names: [cluster, name] }, call) => {
      const { world } = call;
      const group = world.nodegroups.get(`${cluster}/${name}`);
      call.allow({ action: "eks:DeleteNodegroup", resource: group.arn, resourceTags: group.tags });
      if (group.goneAtMs !== undefined || statusOf(group, call) === "CREATING") {
        throw new AwsFailure("ResourceInUseException", `Nodegroup ${name} has an operation in progress`, 409);
      }
      group.goneAtMs = world.clock.now() + world.settings.times.nodegroupGoneMs;
      for (const each of world.interfaces.all) {
        if (each.description === `node of ${group.id}`) each.goneAtMs = group.goneAtMs;
      }
      return { nodegroup: view(group, call) };
    },
  },
  {
    action: "UpdateNodegroupConfig",
    method: "POST",
    path: "/clusters/*/node-groups/*/update-config",
    answer: ({ names: [cluster = "", name = ""], body }, call) => {
      const wanted = { cluster, nodegroup: name, type: "ConfigUpdate", ...tokenOf(body) } as const;
      const before = updateBefore(wanted, call);
      if (before !== undefined) return { update: updateView(before, call) };
      const group = updatable("eks:UpdateNodegroupConfig", `${cluster}/${name}`, call);
      const update = newUpdate(wanted, 0, call);
      if (update.failure !== undefined) return { update: updateView(update, call) };
      const scaling = objectOf(body["scalingConfig"]);
      group.scaling = { ...group.scaling, ...scalingOf(scaling, group.scaling) };
      const labels = objectOf(body["labels"]);
      const removed = textsOf(labels["removeLabels"]);
      const kept = Object.entries(group.labels).filter(([key]) => !removed.includes(key));
      group.labels = { ...Object.fromEntries(kept), ...textMap(labels["addOrUpdateLabels"]) };
      const taints = objectOf(body["taints"]);
      const isTold = ({ key, effect }: Readonly<Record<string, string>>): boolean =>
        [...taintsOf(taints["removeTaints"]), ...taintsOf(taints["addOrUpdateTaints"])].some(
          (each) => each["key"] === key && each["effect"] === effect,
        );
      group.taints = [
        ...group.taints.filter((taint) => !isTold(taint)),
        ...taintsOf(taints["addOrUpdateTaints"]),
      ];
      return { update: updateView(update, call) };
    },
  },
  {
    action: "UpdateNodegroupVersion",
    method: "POST",
    path: "/clusters/*/node-groups/*/update-version",
    answer: ({ names: [cluster = "", name = ""], body }, call) => {
      const version = textOf(body, "version");
      const wanted = { cluster, nodegroup: name, version, type: "VersionUpdate", ...tokenOf(body) } as const;
      const before = updateBefore(wanted, call);
      if (before !== undefined) return { update: updateView(before, call) };
      const group = updatable("eks:UpdateNodegroupVersion", `${cluster}/${name}`, call);
      if (minorOf(version) > minorOf(call.world.clusters.get(cluster).version)) {
        throw new AwsFailure("InvalidParameterException", "Nodegroup version is newer than its cluster");
      }
      group.update = newUpdate(wanted, call.world.settings.times.nodegroupMs, call);
      return { update: updateView(group.update, call) };
    },
  },
];

function create(cluster: string, body: JsonObject, call: ApiCall): JsonObject {
  const { world } = call;
  const name = textOf(body, "nodegroupName");
  const tags = textMap(body["tags"]);
  const arn = world.arn("eks", `nodegroup/${cluster}/${name}/0`);
  const nodeRole = textOf(body, "nodeRole");
  const owner = world.clusters.get(cluster);
  call.allow({
    action: "eks:CreateNodegroup",
    resource: owner.arn,
    resourceTags: owner.tags,
    requestTags: tags,
  });
  call.allow({ action: "eks:TagResource", resource: arn, requestTags: tags });
  call.allow({
    action: "iam:PassRole",
    resource: nodeRole,
    context: { "iam:PassedToService": "eks.amazonaws.com" },
  });
  const clientToken = optionalText(body, "clientRequestToken");
  const before = world.nodegroups.peek(`${cluster}/${name}`);
  if (before !== undefined) {
    if (before.clientToken === clientToken && clientToken !== undefined)
      return { nodegroup: view(before, call) };
    throw new AwsFailure("ResourceInUseException", `NodeGroup already exists with name ${name}`, 409);
  }
  if (owner.readyAtMs > world.clock.now() || owner.goneAtMs !== undefined) {
    throw new AwsFailure("InvalidRequestException", `Cluster '${cluster}' is not in ACTIVE status`);
  }
  const failure = world.settings.nodegroupFailure;
  world.settings.nodegroupFailure = undefined;
  const scaling = objectOf(body["scalingConfig"]);
  const made = world.nodegroups.add({
    ...world.thing(`${cluster}/${name}`, arn, tags),
    cluster,
    name,
    version: owner.version,
    clientToken,
    readyAtMs: world.clock.now() + world.settings.times.nodegroupMs,
    failure,
    scaling: scalingOf(scaling, { minSize: 1, maxSize: 1, desiredSize: 1 }),
    labels: textMap(body["labels"]),
    taints: taintsOf(body["taints"]),
    settings: body,
  });
  const [subnetId = ""] = textsOf(body["subnets"]);
  const interfaceId = world.newId("eni");
  world.interfaces.add({
    ...world.thing(interfaceId, world.arn("ec2", `network-interface/${interfaceId}`)),
    vpcId: owner.vpcId,
    subnetId,
    description: `node of ${made.id}`,
    interfaceType: "interface",
    groupIds: [],
    status: "in-use",
  });
  return { nodegroup: view(made, call) };
}

function updatable(action: string, id: string, call: ApiCall): Nodegroup {
  const group = call.world.nodegroups.get(id);
  call.allow({ action, resource: group.arn, resourceTags: group.tags });
  if (statusOf(group, call) !== "ACTIVE") {
    throw new AwsFailure("ResourceInUseException", `Nodegroup ${id} has an operation in progress`, 409);
  }
  return group;
}

function scalingOf(scaling: JsonObject, others: NodegroupScaling): NodegroupScaling {
  const numberOf = (name: keyof NodegroupScaling): number => Number(scaling[name] ?? others[name]);
  return { minSize: numberOf("minSize"), maxSize: numberOf("maxSize"), desiredSize: numberOf("desiredSize") };
}

function taintsOf(value: unknown): Readonly<Record<string, string>>[] {
  return Array.isArray(value) ? value.map(textMap) : [];
}

function statusOf(group: Nodegroup, { world }: ApiCall): string {
  const nowMs = world.clock.now();
  if (group.goneAtMs !== undefined) return "DELETING";
  if (group.readyAtMs > nowMs) return "CREATING";
  if (group.failure !== undefined) return "CREATE_FAILED";
  if (group.issue !== undefined) return "DEGRADED";
  if (group.update === undefined) return "ACTIVE";
  if (group.update.endsAtMs > nowMs) return "UPDATING";
  group.version = versionAfter(group.update, group.version);
  delete group.update;
  return "ACTIVE";
}

function view(group: Nodegroup, call: ApiCall): JsonObject {
  const status = statusOf(group, call);
  const { cluster, name, arn, version, tags, labels, taints, settings, madeAtMs } = group;
  const issue = status === "DEGRADED" ? group.issue : status === "CREATE_FAILED" ? group.failure : undefined;
  return {
    nodegroupName: name,
    nodegroupArn: arn,
    clusterName: cluster,
    createdAt: seconds(madeAtMs),
    version,
    status,
    scalingConfig: group.scaling,
    instanceTypes: settings["instanceTypes"],
    subnets: settings["subnets"],
    nodeRole: settings["nodeRole"],
    labels,
    taints,
    tags,
    health: { issues: issue === undefined ? [] : [issue] },
  };
}

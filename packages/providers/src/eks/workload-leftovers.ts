import { isAwsError } from "./aws/aws-api.ts";
import { isNameOfOthers } from "./cluster-step.ts";
import type { EksRound } from "./eks-round.ts";
import { balancerTag, interfaceTag, ownedTagOf } from "./names.ts";
import {
  asInterface,
  describeGroups,
  nameOfGroup,
  type Holder,
  type NetworkInterface,
} from "./network-holders.ts";

/** Load balancers that workloads have made, by their names. */
export async function loadBalancersOf(round: EksRound): Promise<readonly string[]> {
  const all = await interfacesOf(round);
  return [...new Set(all.flatMap(({ balancer }) => balancer ?? []))].toSorted();
}

/**
 * Deletes interfaces and security groups that workloads left behind; resolves to what cannot go yet. What is of others is
 * told, and left alone.
 */
export async function removeLeftovers(round: EksRound): Promise<readonly Holder[]> {
  const { aws, work } = round;
  const interfaces = await interfacesOf(round);
  const planes = await planesOfOthers(round, interfaces);
  if (planes.length > 0) return planes;
  const holders: Holder[] = [];
  for (const { id, text, balancer, isFree, isOwn, goesWithItsOwner } of interfaces) {
    if (goesWithItsOwner) continue;
    if (balancer !== undefined) holders.push({ text: `load balancer ${balancer}`, whose: "balancer" });
    else holders.push({ text, whose: isOwn ? "cluster" : "others" });
    if (!isFree || !isOwn) continue;
    await work.call(`delete ec2:network-interface ${id}`, () =>
      aws.send("ec2:DeleteNetworkInterface", { NetworkInterfaceId: id }).catch(inUse),
    );
  }
  for (const { id: GroupId, name } of await groupsOf(round)) {
    const isGone = await work.call(`delete ec2:security-group ${GroupId}`, () =>
      aws.send("ec2:DeleteSecurityGroup", { GroupId }).then(() => true, inUse),
    );
    const text = `security group ${nameOfGroup({ id: GroupId, name })}`;
    const referring = isGone === true ? [] : await groupsReferringTo(round, GroupId);
    if (referring.length === 0) holders.push({ text, whose: "cluster" });
    else holders.push({ text: `${text}, to which rules of ${referring.join(", ")} refer`, whose: "others" });
  }
  return holders;
}

/** Deletes the volumes that the storage of this cluster has made; those that are in use are looked at again. */
export async function removeVolumes(round: EksRound): Promise<void> {
  if (await isNameOfOthers(round)) return;
  const { aws, work, name } = round;
  const owned = { Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] };
  const { Volumes = [] } = await aws.send("ec2:DescribeVolumes", { Filters: [owned] });
  for (const { VolumeId = "" } of Volumes) {
    await work.call(`delete ec2:volume ${VolumeId}`, () =>
      aws.send("ec2:DeleteVolume", { VolumeId }).catch(inUse),
    );
  }
}

/** All of a VPC that is ours; in one that was given only what is known to be of this cluster. */
async function interfacesOf(round: EksRound): Promise<NetworkInterface[]> {
  const { records, name } = round;
  const vpcId = records.get("vpc")?.id;
  if (vpcId !== undefined) return describe(round, { Name: "vpc-id", Values: [vpcId] });
  if (await isNameOfOthers(round)) return [];
  const groups = (await groupsOf(round)).map(({ id }) => id);
  const found = [
    ...(await describe(round, { Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] })),
    ...(await describe(round, { Name: `tag:${interfaceTag}`, Values: [name] })),
    ...(groups.length === 0 ? [] : await describe(round, { Name: "group-id", Values: groups })),
  ];
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** Control planes that somebody else has made in the network. What is beside them may be theirs. */
async function planesOfOthers(
  round: EksRound,
  interfaces: readonly NetworkInterface[],
): Promise<readonly Holder[]> {
  const names = new Set(
    interfaces.flatMap(({ controlPlane, isFree }) => (isFree ? [] : (controlPlane ?? []))),
  );
  // Those of our own go a little later than it does.
  if (names.has(round.name) && !(await isNameOfOthers(round))) names.delete(round.name);
  return [...names].toSorted().map((name) => ({ text: `control plane ${name}`, whose: "others" }));
}

/** Security groups that Kubernetes, or a controller of load balancers, has made for the cluster. */
async function groupsOf(round: EksRound): Promise<{ readonly id: string; readonly name: string }[]> {
  if (await isNameOfOthers(round)) return [];
  const { name, records } = round;
  const vpcId = records.get("vpc")?.id;
  const place = vpcId === undefined ? [] : [{ Name: "vpc-id", Values: [vpcId] }];
  const found = [
    ...(await describeGroups(round, { Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] }, ...place)),
    ...(await describeGroups(round, { Name: `tag:${balancerTag}`, Values: [name] }, ...place)),
  ];
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** AWS keeps a group for as long as rules of another one name it, wherever that is. */
async function groupsReferringTo(round: EksRound, id: string): Promise<string[]> {
  const found = [
    ...(await describeGroups(round, { Name: "ip-permission.group-id", Values: [id] })),
    ...(await describeGroups(round, { Name: "egress.ip-permission.group-id", Values: [id] })),
  ];
  return [...new Set(found.filter((each) => each.id !== id).map(nameOfGroup))];
}

async function describe(
  round: EksRound,
  filter: { readonly Name: string; readonly Values: string[] },
): Promise<NetworkInterface[]> {
  const { NetworkInterfaces = [] } = await round.aws.send("ec2:DescribeNetworkInterfaces", {
    Filters: [filter],
  });
  return NetworkInterfaces.map((each) => asInterface(round, each));
}

/** It is looked at again. */
function inUse(error: unknown): undefined {
  if (isAwsError(error, "DependencyViolation", "InvalidParameterValue", "VolumeInUse")) return undefined;
  if (
    isAwsError(error, "InvalidGroup.NotFound", "InvalidNetworkInterfaceID.NotFound", "InvalidVolume.NotFound")
  )
    return undefined;
  throw error;
}

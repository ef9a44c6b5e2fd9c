import { isAwsError } from "./aws/aws-api.ts";
import type { EksRound } from "./eks-round.ts";
import { balancerTag, interfaceTag, ownedTagOf } from "./names.ts";

/** Those of load balancers tell so by what they are described as. */
const ofLoadBalancer = /^ELB /u;
/** They go with what they belong to. */
const ofOthers = /^(Interface for NAT Gateway|Amazon EKS )/u;

interface NetworkInterface {
  readonly id: string;
  readonly description: string;
  readonly isFree: boolean;
}

/** Load balancers that workloads have made, by their names. */
export async function loadBalancersOf(round: EksRound): Promise<readonly string[]> {
  const all = await interfacesOf(round);
  const names = all.flatMap(({ description }) =>
    ofLoadBalancer.test(description) ? [description.replace(ofLoadBalancer, "")] : [],
  );
  return [...new Set(names)].toSorted();
}

/** Deletes interfaces and security groups that workloads left behind; resolves to what cannot go yet. */
export async function removeLeftovers(round: EksRound): Promise<readonly string[]> {
  const { aws, work } = round;
  const waiting: string[] = [];
  for (const { id, description, isFree } of await interfacesOf(round)) {
    if (!isFree && ofOthers.test(description)) continue;
    waiting.push(ofLoadBalancer.test(description) ? `load balancer ${description.slice(4)}` : id);
    if (!isFree) continue;
    await work.call(`delete ec2:network-interface ${id}`, () =>
      aws.send("ec2:DeleteNetworkInterface", { NetworkInterfaceId: id }).catch(inUse),
    );
  }
  for (const GroupId of await groupsOf(round)) {
    waiting.push(GroupId);
    await work.call(`delete ec2:security-group ${GroupId}`, () =>
      aws.send("ec2:DeleteSecurityGroup", { GroupId }).catch(inUse),
    );
  }
  return waiting;
}

/** Deletes the volumes that the storage of this cluster has made; those that are in use are looked at again. */
export async function removeVolumes({ aws, work, name }: EksRound): Promise<void> {
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
  const groups = await groupsOf(round);
  const found = [
    ...(await describe(round, { Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] })),
    ...(await describe(round, { Name: `tag:${interfaceTag}`, Values: [name] })),
    ...(groups.length === 0 ? [] : await describe(round, { Name: "group-id", Values: groups })),
  ];
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** Security groups that Kubernetes, or a controller of load balancers, has made for the cluster. */
async function groupsOf({ aws, name }: EksRound): Promise<string[]> {
  const ids = new Set<string>();
  for (const filter of [
    { Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] },
    { Name: `tag:${balancerTag}`, Values: [name] },
  ]) {
    const { SecurityGroups = [] } = await aws.send("ec2:DescribeSecurityGroups", { Filters: [filter] });
    for (const { GroupId } of SecurityGroups) if (GroupId !== undefined) ids.add(GroupId);
  }
  return [...ids];
}

async function describe(
  { aws }: EksRound,
  filter: { readonly Name: string; readonly Values: string[] },
): Promise<NetworkInterface[]> {
  const { NetworkInterfaces = [] } = await aws.send("ec2:DescribeNetworkInterfaces", { Filters: [filter] });
  return NetworkInterfaces.map(({ NetworkInterfaceId = "", Description = "", Status }) => ({
    id: NetworkInterfaceId,
    description: Description,
    isFree: Status === "available",
  }));
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

import type { NetworkInterface as FoundInterface } from "@aws-sdk/client-ec2";

import type { EksRound } from "./eks-round.ts";
import { clusterTag, interfaceTag, ownedTagOf } from "./names.ts";

/** Something that keeps the network of a cluster from being deleted. */
export interface Holder {
  /** `interface eni-1 (RDSNetworkInterface, attached by amazon-rds)`. */
  readonly text: string;
  /** Whoever takes it away: a load balancer has its own, what is of the cluster goes by itself or by us. */
  readonly whose: "balancer" | "cluster" | "others";
}

export interface NetworkInterface {
  readonly id: string;
  readonly text: string;
  /** The name of the load balancer that it is of. */
  readonly balancer: string | undefined;
  /** The name of the control plane that it is of. */
  readonly controlPlane: string | undefined;
  readonly isFree: boolean;
  /** The cluster, its nodes or its workloads have made it. */
  readonly isOwn: boolean;
  /** It is of the control plane, or of a NAT gateway of ours, and in use. */
  readonly goesWithItsOwner: boolean;
}

/** Those of load balancers tell so by what they are described as: `ELB a1b2`, `ELB net/web/50dc6c495c0c9188`. */
const ofLoadBalancer = /^ELB (?<name>.+)$/u;
const ofControlPlane = /^Amazon EKS (?<name>.+)$/u;
const ofGateway = /^Interface for NAT Gateway (?<id>\S+)$/u;
/** The network plugin of nodes describes its interfaces so; old ones of it have no tag of the cluster. */
const ofNodes = /^aws-K8S-/u;

export function asInterface(round: EksRound, found: FoundInterface): NetworkInterface {
  const { NetworkInterfaceId: id = "", Description: description = "", TagSet = [], Status } = found;
  const { name } = round;
  const tags = new Map(TagSet.map(({ Key, Value }) => [Key, Value]));
  const isFree = Status === "available";
  const controlPlane = ofControlPlane.exec(description)?.groups?.["name"];
  const isOfPlane = controlPlane === name;
  const gateway = ofGateway.exec(description)?.groups?.["id"];
  return {
    id,
    text: `interface ${id} (${[description, attachmentOf(found)].filter(Boolean).join(", ")})`,
    balancer: ofLoadBalancer.exec(description)?.groups?.["name"],
    controlPlane,
    isFree,
    isOwn:
      isOfPlane ||
      tags.get(ownedTagOf(name)) === "owned" ||
      (tags.get(interfaceTag) ?? (ofNodes.test(description) ? name : undefined)) === name,
    goesWithItsOwner: !isFree && (isOfPlane || isOwnGateway(round, gateway)),
  };
}

/** One whose making nobody heard of is found by its mark when it is deleted; until then its id is not known here. */
function isOwnGateway({ records }: EksRound, id: string | undefined): boolean {
  return [...records.values()].some(
    (record) => id !== undefined && record.type === "ec2:natgateway" && (record.id ?? id) === id,
  );
}

function attachmentOf({ Attachment, Status }: FoundInterface): string {
  const { InstanceId, InstanceOwnerId } = Attachment ?? {};
  if (InstanceId !== undefined) return `attached to ${InstanceId}`;
  if (InstanceOwnerId !== undefined) return `attached by ${InstanceOwnerId}`;
  return Status ?? "";
}

/** What else is in a VPC that is ours, and not: somebody has put it there, and has to take it away. */
export async function othersInNetwork(round: EksRound): Promise<readonly Holder[]> {
  const { aws, records, work } = round;
  const vpcId = records.get("vpc")?.id;
  if (vpcId === undefined) return [];
  const filter = { Name: "vpc-id", Values: [vpcId] };
  const { Subnets = [] } = await aws.send("ec2:DescribeSubnets", { Filters: [filter] });
  const groups = await describeGroups(round, filter);
  const subnets = Subnets.filter(
    ({ Tags = [] }) => !Tags.some(({ Key, Value }) => Key === clusterTag && Value === work.cluster.id),
  );
  const texts = [
    ...subnets.map(({ SubnetId = "" }) => `subnet ${SubnetId}`),
    // Each VPC has one of that name, which goes with it.
    ...groups.filter(({ name }) => name !== "default").map((each) => `security group ${nameOfGroup(each)}`),
  ];
  return texts.map((text) => ({ text, whose: "others" }));
}

export async function describeGroups(
  { aws }: EksRound,
  ...filters: { readonly Name: string; readonly Values: string[] }[]
): Promise<{ readonly id: string; readonly name: string }[]> {
  const { SecurityGroups = [] } = await aws.send("ec2:DescribeSecurityGroups", { Filters: filters });
  return SecurityGroups.map(({ GroupId = "", GroupName = "" }) => ({ id: GroupId, name: GroupName }));
}

export function nameOfGroup({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === "" ? id : `${id} (${name})`;
}

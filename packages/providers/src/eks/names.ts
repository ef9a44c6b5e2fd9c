import type { ResourceRecord } from "../resource-record.ts";
import type { ProviderWork, WantedCluster } from "../provider.ts";

export const clusterTag = "bowline.dev/cluster";
export const serverTag = "bowline.dev/server";
export const nameTag = "bowline.dev/name";
export const intentTag = "bowline.dev/intent";
/** Of roles, which have no region themselves: where the cluster is that they were made for. */
export const regionTag = "bowline.dev/region";

/** Roles have at most 64 letters, `-cluster` among them. */
const longestName = 40;

/** What the cluster is called in AWS: its own name, and what tells it from one of the same name elsewhere. */
export function awsNameOf({ id, name }: Pick<WantedCluster, "id" | "name">): string {
  // The first digits of an id are those of its time, and the same for many.
  const tail = id.replaceAll("-", "").slice(-6);
  return `bowline-${name.slice(0, longestName).replace(/-+$/u, "")}-${tail}`;
}

/** The tags of everything that is made, from its first moment. */
export function tagsOf(
  { cluster, installation }: Pick<ProviderWork, "cluster" | "installation">,
  { token }: Pick<ResourceRecord, "token">,
): Record<string, string> {
  return {
    [clusterTag]: cluster.id,
    [serverTag]: installation,
    [nameTag]: cluster.name,
    [intentTag]: token,
  };
}

/** By this tag Kubernetes and AWS know whose a thing is. */
export function ownedTagOf(awsName: string): string {
  return `kubernetes.io/cluster/${awsName}`;
}
/** By these the network plugin of the nodes, and the controller of load balancers, know what is of their cluster. */
export const interfaceTag = "cluster.k8s.amazonaws.com/name";
export const balancerTag = "elbv2.k8s.aws/cluster";
/** The policy that no role made here goes beyond; whoever owns the account makes it, with this name. */
export const boundaryName = "bowline-boundary";

/** The part of AWS that an ARN is in: `aws`, `aws-cn`, `aws-us-gov`. Whatever is named there begins with it. */
export function partitionOf(arn: string | undefined): string {
  return arn?.split(":")[1] ?? "aws";
}

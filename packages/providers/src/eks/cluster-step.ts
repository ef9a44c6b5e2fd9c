import type { Cluster } from "@aws-sdk/client-eks";
import { BowlineError } from "@bowline/core";

import { isAwsError, type AwsError } from "./aws/aws-api.ts";
import { idOf, onceInALook, type EksRound, type EksStep } from "./eks-round.ts";
import { clusterTag, tagsOf } from "./names.ts";
import { hasOwnNetwork } from "./own-network.ts";
import { zoneCount } from "./zones.ts";

/** What is remembered of a control plane, whatever is found. */
const kept = [
  "wasActive",
  "isCompleted",
  "isDeleting",
  "goingSinceMs",
  "workloads",
  "update",
  "lostSubnets",
] as const;

export function clusterStep(round: EksRound): EksStep {
  const { aws, name, settings } = round;
  return {
    step: "cluster",
    type: "eks:cluster",
    region: aws.region,
    text: "Create the control plane",
    reason: "CreatingControlPlane",
    expectedSeconds: 600,
    needs: ["role-cluster", ...subnetStepsOf(round)],
    isWatched: true,
    find: async (record) => {
      const cluster = await describeCluster(round);
      if (cluster === undefined) return undefined;
      if (!isOwn(round, cluster)) return { id: name, isReady: false, isForeign: true };
      const attributes = Object.fromEntries(kept.map((key) => [key, record.attributes[key]]));
      const isReady = cluster.status === "ACTIVE";
      const more = {
        arn: cluster.arn,
        status: cluster.status,
        version: cluster.version,
        ...problemOf(cluster),
      };
      return {
        id: name,
        isReady,
        attributes: { ...attributes, ...(isReady ? { wasActive: true } : {}), ...more },
      };
    },
    create: async (record) => {
      const isPrivate = settings.network?.privateEndpoint === true;
      await aws.send("eks:CreateCluster", {
        name,
        clientRequestToken: record.token,
        roleArn: roleArnOf(round, "role-cluster"),
        ...(settings.kubernetesVersion === undefined
          ? {}
          : { version: minorVersion(settings.kubernetesVersion) }),
        resourcesVpcConfig: {
          subnetIds: subnetIdsOf(round),
          endpointPrivateAccess: true,
          endpointPublicAccess: !isPrivate,
          ...(isPrivate || round.publicAccess === undefined
            ? {}
            : { publicAccessCidrs: round.publicAccess.map(rangeOf) }),
        },
        // Whoever makes it is no admin of it by that alone: the access entry says who is, and can be taken away.
        accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false },
        tags: tagsOf(round.work, record),
      });
      return { id: name, isReady: false };
    },
    remove: async () => {
      try {
        await aws.send("eks:DeleteCluster", { name });
      } catch (error) {
        if (isAwsError(error, "ResourceNotFoundException")) return;
        if (!isAwsError(error, "ResourceInUseException")) throw error;
        const { status = "" } = (await describeCluster(round)) ?? {};
        // One that is being made or changed can be deleted when it is done; the others have something that holds them.
        if (["ACTIVE", "FAILED"].includes(status)) throw heldBy(error);
      }
    },
  };
}

/** Such as groups of nodes, or profiles of Fargate: they cost money, and nobody would be told of them. */
function heldBy({ message }: AwsError): BowlineError {
  return new BowlineError(
    "Conflict",
    `AWS does not delete the control plane (${message}): there is something in it that Bowline did not make, or does not remember. Delete that in AWS.`,
    { details: { reason: "LeftOver" } },
  );
}

export const describeCluster = onceInALook(async ({ aws, name }: EksRound): Promise<Cluster | undefined> => {
  const answer = await aws.send("eks:DescribeCluster", { name }).catch(unless("ResourceNotFoundException"));
  return answer?.cluster;
});

export function isOwn({ work }: EksRound, cluster: Cluster | undefined): boolean {
  return cluster?.tags?.[clusterTag] === work.cluster.id;
}

/** Whether somebody else has a control plane of the name, to which belongs what is marked by the name alone. */
export async function isNameOfOthers(round: EksRound): Promise<boolean> {
  const cluster = await describeCluster(round);
  return cluster !== undefined && !isOwn(round, cluster);
}

/** `1.33` of `1.33.4`: EKS chooses the rest. */
export function minorVersion(version: string): string {
  return version.replace(/^v/u, "").split(".").slice(0, 2).join(".");
}

/** Those of the settings, or ours: public ones are for load balancers. */
export function subnetIdsOf(round: EksRound, kind: "all" | "private" = "all"): string[] {
  if (hasOwnNetwork(round)) {
    return subnetStepsOf(round)
      .filter((step) => kind === "all" || step.startsWith("subnet-private"))
      .map((step) => idOf(round, step));
  }
  const { subnetIds } = round.settings.network ?? {};
  if (subnetIds !== undefined) return [...subnetIds];
  throw new BowlineError(
    "InvalidArgument",
    "The cluster is in a network that it was given, and its object does not say any more in which: set spec.eks.network.vpcId and spec.eks.network.subnetIds back, and nodes can be made there.",
    { details: { reason: "PlaceChanged" } },
  );
}

function subnetStepsOf(round: EksRound): string[] {
  if (!hasOwnNetwork(round)) return [];
  const numbers = Array.from({ length: zoneCount }, (_, at) => at + 1);
  return numbers.flatMap((number) => [`subnet-public-${number}`, `subnet-private-${number}`]);
}

export function roleArnOf({ records }: EksRound, step: string): string {
  const arn = records.get(step)?.attributes["arn"];
  return typeof arn === "string" ? arn : "";
}

function problemOf({ status, health }: Cluster): { readonly problem?: string } {
  if (status !== "FAILED") return {};
  const issues = (health?.issues ?? []).map(({ code, message }) => `${code ?? "Unknown"}: ${message ?? ""}`);
  return { problem: issues.length === 0 ? "AWS does not say why." : issues.join(" ") };
}

/** For `catch`: undefined for these errors of AWS, which are as good as done. */
export function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isAwsError(error, ...codes)) throw error;
    return undefined;
  };
}

/** AWS takes no address without the length of its network. */
function rangeOf(network: string): string {
  if (network.includes("/")) return network;
  return `${network}/${network.includes(":") ? 128 : 32}`;
}

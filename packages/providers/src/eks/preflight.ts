import { BowlineError } from "@bowline/core";

import { nameTaken } from "../ensure-resource.ts";
import { boundaryName, partitionOf } from "./names.ts";
import { isAwsError } from "./aws/aws-api.ts";
import { clusterStep, minorVersion } from "./cluster-step.ts";
import { newTags } from "./ec2-step.ts";
import type { EksRound } from "./eks-round.ts";
import { roleStep } from "./role-steps.ts";
import { subnetCidr } from "./subnet-cidr.ts";
import { zoneCount, zonesOf } from "./zones.ts";

/** What would stop a creation halfway is found out before anything is made. Resolves to who Bowline is in the account. */
export async function preflight(round: EksRound): Promise<string> {
  const { Account = "", Arn = "" } = await round.aws.send("sts:GetCallerIdentity", {});
  await checkNames(round);
  await checkVersion(round);
  if (round.settings.network?.vpcId === undefined) await checkNewNetwork(round);
  else await checkGivenNetwork(round);
  await checkBoundary(round, `arn:${partitionOf(Arn)}:iam::${Account}:policy/${boundaryName}`);
  return Arn;
}

function refusal(reason: string, message: string): BowlineError {
  return new BowlineError("InvalidArgument", message, { details: { reason } });
}

/** A network with its gateway would be made, and paid, before the control plane that cannot be. */
async function checkNames(round: EksRound): Promise<void> {
  for (const step of [clusterStep(round), roleStep(round, "cluster"), roleStep(round, "node")]) {
    const found = await step.find({ ...noRecord, step: step.step });
    if (found?.isForeign === true) throw nameTaken(step, found);
  }
}

async function checkVersion({ aws, settings }: EksRound): Promise<void> {
  if (settings.kubernetesVersion === undefined) return;
  const { clusterVersions = [] } = await aws.send("eks:DescribeClusterVersions", {});
  const offered = clusterVersions.flatMap(({ clusterVersion }) => clusterVersion ?? []);
  const wanted = minorVersion(settings.kubernetesVersion);
  if (offered.includes(wanted)) return;
  throw refusal(
    "VersionNotOffered",
    `AWS does not offer Kubernetes ${wanted} in ${aws.region}; it has ${offered.join(", ")}.`,
  );
}

async function checkNewNetwork(round: EksRound): Promise<void> {
  const { aws, settings } = round;
  const cidr = settings.network?.cidr ?? "10.0.0.0/16";
  subnetCidr(cidr, "public", 1);
  await zonesOf(round);
  const needed = settings.network?.highAvailability === true ? zoneCount : 1;
  const { AccountAttributes = [] } = await aws.send("ec2:DescribeAccountAttributes", {
    AttributeNames: ["vpc-max-elastic-ips" as never],
  });
  const most = Number(AccountAttributes[0]?.AttributeValues?.[0]?.AttributeValue ?? Infinity);
  const { Addresses = [] } = await aws.send("ec2:DescribeAddresses", {});
  if (Addresses.length + needed > most) {
    throw refusal(
      "QuotaTooLow",
      `The account has ${Addresses.length} of ${most} elastic addresses in ${aws.region}, and ${needed} more are needed: release some, or ask AWS for more.`,
    );
  }
  await tryDry(round, cidr);
}

/** What EC2 can try without doing it, with the tags that policies look at. */
async function tryDry(round: EksRound, cidr: string): Promise<void> {
  const { aws } = round;
  const record = { ...noRecord, step: "vpc" };
  const isDry = (error: unknown): undefined => {
    if (!isAwsError(error, "DryRunOperation")) throw error;
    return undefined;
  };
  await aws
    .send("ec2:CreateVpc", { DryRun: true, CidrBlock: cidr, ...newTags(round, record, "vpc") })
    .catch(isDry);
  await aws
    .send("ec2:CreateInternetGateway", { DryRun: true, ...newTags(round, record, "internet-gateway") })
    .catch(isDry);
  await aws
    .send("ec2:AllocateAddress", { DryRun: true, Domain: "vpc", ...newTags(round, record, "elastic-ip") })
    .catch(isDry);
}

const noRecord = {
  type: "",
  attempt: 1,
  token: "preflight",
  intentAtMs: 0,
  state: "intended",
  attributes: {},
} as const;

async function checkGivenNetwork({ aws, settings }: EksRound): Promise<void> {
  const { vpcId = "", subnetIds = [] } = settings.network ?? {};
  const { Subnets = [] } = await aws.send("ec2:DescribeSubnets", {
    Filters: [
      { Name: "subnet-id", Values: [...subnetIds] },
      { Name: "vpc-id", Values: [vpcId] },
    ],
  });
  const found = new Set(Subnets.map(({ SubnetId }) => SubnetId));
  const missing = subnetIds.filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw refusal("Preflight", `There is no subnet ${missing.join(", ")} in ${vpcId}.`);
  }
  if (new Set(Subnets.map(({ AvailabilityZone }) => AvailabilityZone)).size < zoneCount) {
    throw refusal("Preflight", `The subnets of ${vpcId} have to be in ${zoneCount} zones at least.`);
  }
}

/** Roles without it would let whoever can make them do anything. */
async function checkBoundary({ aws }: EksRound, PolicyArn: string): Promise<void> {
  await aws.send("iam:GetPolicy", { PolicyArn }).catch((error: unknown) => {
    if (!isAwsError(error, "NoSuchEntity", "NoSuchEntityException")) throw error;
    throw refusal(
      "Preflight",
      `There is no policy ${PolicyArn}, which bounds the roles of clusters: make it of what "bowline cluster policy --boundary" prints.`,
    );
  });
}

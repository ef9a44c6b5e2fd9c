import { describeCluster, isNameOfOthers, isOwn } from "./cluster-step.ts";
import type { EksRound } from "./eks-round.ts";
import { clusterTag, ownedTagOf, partitionOf } from "./names.ts";
import { roleStep } from "./role-steps.ts";

/** What AWS still has of a cluster, as ARNs, whether or not there are records of it. Only looks. */
export async function sweep(round: EksRound): Promise<readonly string[]> {
  const { aws, work, name } = round;
  const { Account = "", Arn } = await aws.send("sts:GetCallerIdentity", {});
  const arn = (service: string, resource: string): string =>
    `arn:${partitionOf(Arn)}:${service}:${service === "iam" ? "" : aws.region}:${Account}:${resource}`;
  const marks = [
    { Name: `tag:${clusterTag}`, Values: [work.cluster.id] },
    ...((await isNameOfOthers(round)) ? [] : [{ Name: `tag:${ownedTagOf(name)}`, Values: ["owned"] }]),
  ];
  const tagged = await Promise.all(marks.map((mark) => aws.send("ec2:DescribeTags", { Filters: [mark] })));
  const things = tagged
    .flatMap(({ Tags = [] }) => Tags)
    .map(({ ResourceId = "", ResourceType = "" }) => ({ ResourceId, ResourceType }));
  const gone = await deletedGateways(round);
  const ec2 = things
    .filter(({ ResourceId }) => !gone.has(ResourceId))
    .map(({ ResourceId, ResourceType }) => arn("ec2", `${ResourceType}/${ResourceId}`));
  const roles = await Promise.all(
    (["cluster", "node"] as const).map(async (kind) => {
      const step = roleStep(round, kind);
      const found = await step.find({ ...noRecord, step: step.step });
      return found === undefined || found.isForeign === true ? [] : [arn("iam", `role/${found.id}`)];
    }),
  );
  const cluster = await describeCluster(round);
  return [...new Set([...(isOwn(round, cluster) ? [cluster?.arn ?? ""] : []), ...ec2, ...roles.flat()])];
}

const noRecord = {
  type: "",
  attempt: 1,
  token: "",
  intentAtMs: 0,
  state: "intended",
  attributes: {},
} as const;

/** NAT gateways keep their tags for an hour after they were deleted. */
export async function deletedGateways({ aws }: Pick<EksRound, "aws">): Promise<ReadonlySet<string>> {
  const { NatGateways = [] } = await aws.send("ec2:DescribeNatGateways", {
    Filter: [{ Name: "state", Values: ["deleted", "failed"] }],
  });
  return new Set(NatGateways.flatMap(({ NatGatewayId }) => NatGatewayId ?? []));
}

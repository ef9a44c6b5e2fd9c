import { isAwsError } from "./aws/aws-api.ts";
import { lacking, type EksRound, type EksStep } from "./eks-round.ts";
import { boundaryName, clusterTag, partitionOf, regionTag, tagsOf } from "./names.ts";

/** The roles of a cluster, by the service that takes them on, with policies of AWS. */
const roles = {
  cluster: { service: "eks.amazonaws.com", policies: ["AmazonEKSClusterPolicy"] },
  node: {
    service: "ec2.amazonaws.com",
    policies: ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly"],
  },
} as const;

export function roleStep(round: EksRound, kind: keyof typeof roles): EksStep {
  const { aws, name, work } = round;
  const { service } = roles[kind];
  const policiesIn = (partition: string): string[] =>
    roles[kind].policies.map((policy) => `arn:${partition}:iam::aws:policy/${policy}`);
  const RoleName = `${name}-${kind}`;
  const attached = async (): Promise<string[]> => {
    const { AttachedPolicies = [] } = await aws.send("iam:ListAttachedRolePolicies", { RoleName });
    return AttachedPolicies.flatMap(({ PolicyArn }) => PolicyArn ?? []);
  };
  return {
    step: `role-${kind}`,
    type: "iam:role",
    text: `Create the role of the ${kind === "cluster" ? "control plane" : "nodes"}`,
    reason: kind === "cluster" ? "CreatingControlPlane" : "CreatingNodes",
    expectedSeconds: 10,
    needs: [],
    find: async () => {
      const answer = await aws.send("iam:GetRole", { RoleName }).catch(noSuchEntity);
      if (answer === undefined) return undefined;
      const isOurs = answer.Role?.Tags?.some(
        ({ Key, Value }) => Key === clusterTag && Value === work.cluster.id,
      );
      if (isOurs !== true) return { id: RoleName, isReady: false, isForeign: true };
      const has = await attached();
      const policies = policiesIn(partitionOf(answer.Role?.Arn));
      const state = lacking(policies.filter((policy) => !has.includes(policy)));
      return { id: RoleName, ...state, attributes: { ...state.attributes, arn: answer.Role?.Arn } };
    },
    create: async (record) => {
      const { Account, Arn } = await aws.send("sts:GetCallerIdentity", {});
      const partition = partitionOf(Arn);
      const { Role } = await aws.send("iam:CreateRole", {
        RoleName,
        AssumeRolePolicyDocument: trustIn(service, partition),
        PermissionsBoundary: `arn:${partition}:iam::${Account}:policy/${boundaryName}`,
        Tags: Object.entries({ ...tagsOf(work, record), [regionTag]: aws.region }).map(([Key, Value]) => ({
          Key,
          Value,
        })),
      });
      const state = lacking(policiesIn(partition));
      return { id: RoleName, ...state, attributes: { ...state.attributes, arn: Role?.Arn } };
    },
    complete: async (_record, PolicyArn) => {
      await aws.send("iam:AttachRolePolicy", { RoleName, PolicyArn });
    },
    remove: async () => {
      for (const PolicyArn of (await attached().catch(noSuchEntity)) ?? []) {
        await aws.send("iam:DetachRolePolicy", { RoleName, PolicyArn }).catch(noSuchEntity);
      }
      await aws.send("iam:DeleteRole", { RoleName }).catch(noSuchEntity);
    },
  };
}

function trustIn(service: string, partition: string): string {
  // In China machines have another name than everywhere else, and control planes have not.
  const Service = partition === "aws-cn" && service.startsWith("ec2.") ? `${service}.cn` : service;
  const Statement = [{ Effect: "Allow", Principal: { Service }, Action: "sts:AssumeRole" }];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

/** The same under both names that AWS has for it. */
function noSuchEntity(error: unknown): undefined {
  if (isAwsError(error, "NoSuchEntity", "NoSuchEntityException")) return undefined;
  throw error;
}

import { describeCluster, isOwn, unless } from "./cluster-step.ts";
import { lacking, type EksRound, type EksStep } from "./eks-round.ts";
import { clusterTag, partitionOf, tagsOf } from "./names.ts";

const adminPolicyFor = (principal: string): string =>
  `arn:${partitionOf(principal)}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;

/**
 * Lets the provider into the cluster, as an admin, until the agent is there. An entry of the same principal that somebody
 * else has made is used, and stays when this is taken back (`isGoing`): only what was added to it goes.
 */
export function accessEntryStep(round: EksRound, { isGoing = false } = {}): EksStep {
  const { aws, name } = round;
  return {
    step: "access-entry",
    type: "eks:access-entry",
    region: aws.region,
    text: "Let Bowline into the control plane",
    reason: "CreatingControlPlane",
    expectedSeconds: 5,
    needs: ["cluster"],
    find: async ({ id, attributes }) => {
      // It went with its control plane: entries of another one of the name are not ours to take.
      if (isGoing && !isOwn(round, await describeCluster(round))) return undefined;
      const principalArn = id ?? (await principalOf(round));
      const entry = { clusterName: name, principalArn };
      const found = await aws
        .send("eks:DescribeAccessEntry", entry)
        .catch(unless("ResourceNotFoundException"));
      if (found === undefined) return undefined;
      const { associatedAccessPolicies = [] } = await aws.send("eks:ListAssociatedAccessPolicies", entry);
      const adminPolicy = adminPolicyFor(principalArn);
      const isAdmin = associatedAccessPolicies.some(({ policyArn }) => policyArn === adminPolicy);
      const isOurs = found.accessEntry?.tags?.[clusterTag] === round.work.cluster.id;
      const isAdminByUs = !isOurs && (attributes["isAdminByUs"] === true || !isAdmin);
      if (isGoing && !isOurs && !(isAdmin && isAdminByUs)) {
        return { id: principalArn, isReady: false, isForeign: true };
      }
      const state = lacking(isAdmin ? [] : [adminPolicy]);
      return { id: principalArn, ...state, attributes: { ...state.attributes, isAdminByUs } };
    },
    create: async (record) => {
      const principalArn = await principalOf(round);
      await aws.send("eks:CreateAccessEntry", {
        clusterName: name,
        principalArn,
        clientRequestToken: record.token,
        tags: tagsOf(round.work, record),
      });
      return { id: principalArn, ...lacking([adminPolicyFor(principalArn)]) };
    },
    complete: async ({ id }, policyArn) => {
      await aws.send("eks:AssociateAccessPolicy", {
        clusterName: name,
        principalArn: id,
        policyArn,
        accessScope: { type: "cluster" },
      });
    },
    remove: async ({ id = "", attributes }) => {
      const entry = { clusterName: name, principalArn: id };
      const removed =
        attributes["isAdminByUs"] === true
          ? aws.send("eks:DisassociateAccessPolicy", { ...entry, policyArn: adminPolicyFor(id) })
          : aws.send("eks:DeleteAccessEntry", entry);
      await removed.catch(unless("ResourceNotFoundException"));
    },
  };
}

/** Who Bowline is in the account. A session has an ARN of its own; entries are for its role. */
async function principalOf({ aws, work, settings }: EksRound): Promise<string> {
  const { credential } = settings;
  const { roleArn } = credential === undefined ? {} : await work.credential(credential);
  if (roleArn !== undefined) return roleArn;
  const { Arn = "" } = await aws.send("sts:GetCallerIdentity", {});
  const [, partition = "", account = "", RoleName] =
    /^arn:([^:]+):sts::(\d+):assumed-role\/([^/]+)\//u.exec(Arn) ?? [];
  if (RoleName === undefined) return Arn;
  // Sessions do not tell the path of their role, as those of IAM Identity Center have one, and EKS takes none without it.
  const found = await aws.send("iam:GetRole", { RoleName }).catch(notTold);
  return found?.Role?.Arn ?? `arn:${partition}:iam::${account}:role/${RoleName}`;
}

/** Whoever may not look at the role, and has none with a path, gets in all the same. */
const notTold = unless("AccessDenied", "AccessDeniedException", "NoSuchEntity", "NoSuchEntityException");

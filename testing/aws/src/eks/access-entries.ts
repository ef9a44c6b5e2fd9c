import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { AccessEntry } from "../world/things.ts";
import { textMap, textOf, type EksRoute, type JsonObject } from "./eks-action.ts";

export const accessEntryRoutes: readonly EksRoute[] = [
  {
    action: "CreateAccessEntry",
    method: "POST",
    path: "/clusters/*/access-entries",
    answer: ({ names: [cluster = ""], body }, call) => create(cluster, body, call),
  },
  {
    action: "DescribeAccessEntry",
    method: "GET",
    path: "/clusters/*/access-entries/*",
    answer: ({ names }, call) => ({ accessEntry: view(entryOf("DescribeAccessEntry", names, call)) }),
  },
  {
    action: "DeleteAccessEntry",
    method: "DELETE",
    path: "/clusters/*/access-entries/*",
    answer: ({ names }, call) => {
      call.world.accessEntries.remove(entryOf("DeleteAccessEntry", names, call).id);
      return {};
    },
  },
  {
    action: "AssociateAccessPolicy",
    method: "POST",
    path: "/clusters/*/access-entries/*/access-policies",
    answer: ({ names, body }, call) => {
      const entry = entryOf("AssociateAccessPolicy", names, call);
      const policyArn = textOf(body, "policyArn");
      if (!policyArn.startsWith(`arn:${call.world.partition}:eks::aws:cluster-access-policy/`)) {
        throw new AwsFailure("InvalidParameterException", "The policyArn parameter format is not valid");
      }
      entry.policies.add(policyArn);
      return { clusterName: entry.cluster, principalArn: entry.principalArn };
    },
  },
  {
    action: "DisassociateAccessPolicy",
    method: "DELETE",
    path: "/clusters/*/access-entries/*/access-policies/*",
    answer: ({ names }, call) => {
      entryOf("DisassociateAccessPolicy", names, call).policies.delete(names[2] ?? "");
      return {};
    },
  },
  {
    action: "ListAssociatedAccessPolicies",
    method: "GET",
    path: "/clusters/*/access-entries/*/access-policies",
    answer: ({ names }, call) => {
      const entry = entryOf("ListAssociatedAccessPolicies", names, call);
      return { associatedAccessPolicies: [...entry.policies].map((policyArn) => ({ policyArn })) };
    },
  },
];

function create(cluster: string, body: JsonObject, call: ApiCall): JsonObject {
  const { world } = call;
  const owner = world.clusters.get(cluster);
  const tags = textMap(body["tags"]);
  call.allow({
    action: "eks:CreateAccessEntry",
    resource: owner.arn,
    resourceTags: owner.tags,
    requestTags: tags,
  });
  const principalArn = textOf(body, "principalArn");
  if (!principalArn.startsWith(`arn:${world.partition}:iam::`)) {
    throw new AwsFailure("InvalidParameterException", "The principalArn parameter format is not valid");
  }
  const id = `${cluster}/${principalArn}`;
  if (world.accessEntries.peek(id) !== undefined) {
    throw new AwsFailure(
      "ResourceInUseException",
      "The specified access entry resource is already in use",
      409,
    );
  }
  const arn = world.arn("eks", `access-entry/${cluster}/role/${world.accountId}/0`);
  call.allow({ action: "eks:TagResource", resource: arn, requestTags: tags });
  const thing = world.thing(id, arn, tags);
  return {
    accessEntry: view(world.accessEntries.add({ ...thing, cluster, principalArn, policies: new Set() })),
  };
}

function entryOf(action: string, [cluster, principal]: readonly string[], call: ApiCall): AccessEntry {
  const entry = call.world.accessEntries.get(`${cluster}/${principal}`);
  call.allow({ action: `eks:${action}`, resource: entry.arn, resourceTags: entry.tags });
  return entry;
}

function view({ cluster, principalArn, arn, tags }: AccessEntry): JsonObject {
  return { clusterName: cluster, principalArn, accessEntryArn: arn, tags, type: "STANDARD" };
}

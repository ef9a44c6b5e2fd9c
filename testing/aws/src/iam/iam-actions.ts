import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { Params } from "../http/params.ts";
import type { XmlValue } from "../http/xml.ts";
import type { Role } from "../world/things.ts";

type IamAction = (params: Params, call: ApiCall) => Readonly<Record<string, XmlValue>>;

export const iamActions: Readonly<Record<string, IamAction>> = {
  CreateRole: (params, call) => {
    const { world } = call;
    const name = params.text("RoleName");
    const tags = Object.fromEntries(
      params.structures("Tags").map((tag) => [tag.text("Key"), tag.text("Value")]),
    );
    const arn = world.arn("iam", `role/${name}`);
    const permissionsBoundary = params.optional("PermissionsBoundary");
    const context = boundaryContext(permissionsBoundary);
    call.allow({ action: "iam:CreateRole", resource: arn, requestTags: tags, context });
    call.allow({ action: "iam:TagRole", resource: arn, requestTags: tags });
    if (world.roles.peek(name) !== undefined) {
      throw new AwsFailure("EntityAlreadyExists", `Role with name ${name} already exists.`, 409);
    }
    if (permissionsBoundary !== undefined) world.policies.get(permissionsBoundary);
    const trust = params.text("AssumeRolePolicyDocument");
    const thing = { ...world.thing(name, arn, tags), trust, permissionsBoundary };
    return { Role: view(world.roles.add({ ...thing, policies: new Set() })) };
  },

  GetRole: (params, call) => {
    const name = params.text("RoleName");
    call.allow({ action: "iam:GetRole", resource: call.world.arn("iam", `role/${name}`) });
    return { Role: view(call.world.roles.get(name)) };
  },

  ListRoles: (params, call) => {
    call.allow({ action: "iam:ListRoles", resource: "*" });
    void params;
    // Lists of roles come without their tags.
    const roles = call.world.roles.listed.map((role) => ({ ...view({ ...role, tags: {} }) }));
    return { Roles: roles, IsTruncated: false };
  },

  ListRoleTags: (params, call) => {
    const role = call.world.roles.get(params.text("RoleName"));
    call.allow({ action: "iam:ListRoleTags", resource: role.arn });
    return { Tags: tagList(role), IsTruncated: false };
  },

  AttachRolePolicy: (params, call) => {
    const role = changedRole("iam:AttachRolePolicy", params, call);
    const policyArn = params.text("PolicyArn");
    if (!policyArn.startsWith(`arn:${call.world.partition}:iam::`)) {
      throw new AwsFailure("NoSuchEntity", `Policy ${policyArn} does not exist or is not attachable.`, 404);
    }
    role.policies.add(policyArn);
    return {};
  },

  DetachRolePolicy: (params, call) => {
    const role = changedRole("iam:DetachRolePolicy", params, call);
    if (role.policies.delete(params.text("PolicyArn"))) return {};
    throw new AwsFailure("NoSuchEntity", `Policy ${params.text("PolicyArn")} was not found.`, 404);
  },

  ListAttachedRolePolicies: (params, call) => {
    const role = call.world.roles.get(params.text("RoleName"));
    call.allow({ action: "iam:ListAttachedRolePolicies", resource: role.arn });
    const policies = [...role.policies].map((arn) => ({
      PolicyArn: arn,
      PolicyName: arn.split("/").at(-1),
    }));
    return { AttachedPolicies: policies, IsTruncated: false };
  },

  DeleteRole: (params, call) => {
    const role = changedRole("iam:DeleteRole", params, call);
    if (role.policies.size > 0) {
      throw new AwsFailure("DeleteConflict", "Cannot delete entity, must detach all policies first.", 409);
    }
    // The groups of a role have it in profiles that EKS has made.
    if (call.world.nodegroups.all.some(({ settings }) => settings["nodeRole"] === role.arn)) {
      const message = "Cannot delete entity, must remove roles from instance profile first.";
      throw new AwsFailure("DeleteConflict", message, 409);
    }
    call.world.roles.remove(role.id);
    return {};
  },

  GetPolicy: (params, call) => {
    const arn = params.text("PolicyArn");
    call.allow({ action: "iam:GetPolicy", resource: arn });
    const { name } = call.world.policies.get(arn);
    return { Policy: { Arn: arn, PolicyName: name } };
  },
};

function changedRole(action: string, params: Params, call: ApiCall): Role {
  const role = call.world.roles.get(params.text("RoleName"));
  const policyArn = params.optional("PolicyArn");
  call.allow({
    action,
    resource: role.arn,
    resourceTags: role.tags,
    context: {
      ...boundaryContext(role.permissionsBoundary),
      ...(policyArn === undefined ? {} : { "iam:PolicyARN": policyArn }),
    },
  });
  return role;
}

function boundaryContext(boundary: string | undefined): Record<string, string> {
  return boundary === undefined ? {} : { "iam:PermissionsBoundary": boundary };
}

function tagList({ tags }: Role): XmlValue {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

function view(role: Role): Readonly<Record<string, XmlValue>> {
  return {
    RoleName: role.id,
    RoleId: `AROA${role.id.toUpperCase()}`,
    Arn: role.arn,
    Path: "/",
    CreateDate: new Date(role.madeAtMs).toISOString(),
    AssumeRolePolicyDocument: encodeURIComponent(role.trust),
    Tags: tagList(role),
  };
}

import { AwsFailure } from "./aws-failure.ts";
import { isAllowed } from "./auth/policy.ts";
import type { Principal, Principals } from "./auth/principals.ts";
import type { AwsWorld } from "./world/aws-world.ts";
import type { Tags } from "./world/shelf.ts";

export interface Permission {
  readonly action: string;
  readonly resource: string;
  readonly resourceTags?: Tags;
  readonly requestTags?: Tags;
  readonly context?: Readonly<Record<string, string>>;
}

/** Who calls, in what world. */
export class ApiCall {
  readonly world: AwsWorld;
  readonly principals: Principals;
  readonly principal: Principal;

  constructor(world: AwsWorld, principals: Principals, principal: Principal) {
    this.world = world;
    this.principals = principals;
    this.principal = principal;
  }

  allow(permission: Permission): void {
    const { policies } = this.principal;
    const { action, resource } = permission;
    if (policies === undefined) return;
    if (isAllowed(policies, { action, resource, context: contextOf(permission) })) return;
    throw denied(this.principal, action, resource);
  }
}

export function denied(principal: Principal, action: string, resource = "*"): AwsFailure {
  const [service = ""] = action.split(":");
  const message = `User: ${principal.arn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
  const isEc2 = service === "ec2";
  const code = { ec2: "UnauthorizedOperation", eks: "AccessDeniedException" }[service] ?? "AccessDenied";
  return new AwsFailure(
    code,
    isEc2 ? `You are not authorized to perform this operation. ${message}` : message,
    403,
  );
}

function contextOf({
  resourceTags = {},
  requestTags = {},
  context = {},
}: Permission): Record<string, string[]> {
  const entries = [
    ...Object.entries(resourceTags).map(([key, value]) => [`aws:ResourceTag/${key}`, [value]]),
    ...Object.entries(requestTags).map(([key, value]) => [`aws:RequestTag/${key}`, [value]]),
    ...Object.entries(context).map(([key, value]) => [key, [value]]),
    ...(Object.keys(requestTags).length === 0 ? [] : [["aws:TagKeys", Object.keys(requestTags)]]),
  ];
  return Object.fromEntries(entries);
}

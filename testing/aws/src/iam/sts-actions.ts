import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { PolicyDocument } from "../auth/policy.ts";
import type { Params } from "../http/params.ts";
import type { XmlValue } from "../http/xml.ts";

/** A role that may be assumed by whoever has a key and knows its external id. */
export interface AssumableRole {
  readonly externalId?: string;
  readonly policies?: readonly PolicyDocument[];
}

export type StsAction = (params: Params, call: ApiCall) => Readonly<Record<string, XmlValue>>;

const sessionMs = 3_600_000;

export function stsActions(
  assumable: ReadonlyMap<string, AssumableRole>,
): Readonly<Record<string, StsAction>> {
  return {
    GetCallerIdentity: (_params, { world, principal }) => ({
      Arn: principal.arn,
      UserId: principal.userId,
      Account: world.accountId,
    }),

    AssumeRole: (params, call) => {
      const arn = params.text("RoleArn");
      const role = assumable.get(arn);
      if (role === undefined || role.externalId !== params.optional("ExternalId")) {
        const message = `User: ${call.principal.arn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`;
        throw new AwsFailure("AccessDenied", message, 403);
      }
      const name = arn.split("/").at(-1) ?? "";
      const session = call.world.arn("sts", `assumed-role/${name}/${params.text("RoleSessionName")}`);
      const { policies } = role;
      const principal = {
        arn: session,
        userId: `AROAEXAMPLE:${name}`,
        ...(policies === undefined ? {} : { policies }),
      };
      const seconds = Number(params.optional("DurationSeconds") ?? sessionMs / 1000);
      const endsAtMs = call.world.clock.now() + seconds * 1000;
      const key = call.principals.addKey(principal, endsAtMs);
      return {
        Credentials: {
          AccessKeyId: key.accessKeyId,
          SecretAccessKey: key.secretAccessKey,
          SessionToken: key.sessionToken,
          Expiration: new Date(endsAtMs).toISOString(),
        },
        AssumedRoleUser: { Arn: session, AssumedRoleId: principal.userId },
      };
    },
  };
}

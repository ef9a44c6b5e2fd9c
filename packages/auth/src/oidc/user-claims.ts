import { dnsLabel, roles, singleLine, type Role } from "@bowline/api";
import type { JWTPayload } from "jose";

import { unauthorized } from "../tokens/bearer.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** The user that a JWT names. */
export interface UserClaims {
  readonly name: string;
  readonly groups: readonly string[];
  /** The role of their groups, or the default. */
  readonly role: Role | undefined;
}

/** Names fit into the headers of requests to Kubernetes, where they may end up. */
const namePattern = /^[!-~](?:[ -~]*[!-~])?$/u;
const maxNameLength = 253;
const groupPattern = new RegExp(singleLine.pattern, "u");
const objectNamePattern = new RegExp(dnsLabel.pattern, "u");

/** Reads the claims as the settings say. `Unauthorized` when they name nobody, or nobody that can have access. */
export function readUserClaims(settings: OidcSettings, claims: JWTPayload): UserClaims {
  const groups = groupsIn(claims[settings.groupsClaim]);
  const mapped = roles.filter((role) => groups.some((group) => ownValue(settings.roles, group) === role));
  return {
    name: nameIn(settings, claims),
    groups: groups.map((group) => `${settings.groupsPrefix}${group}`).filter(isGroup),
    role: mapped.at(-1) ?? settings.defaultRole,
  };
}

/** Whether there can be a User of that name. */
export function isObjectName(name: string): boolean {
  return name.length <= dnsLabel.maxLength && objectNamePattern.test(name);
}

function nameIn({ userClaim, userPrefix }: OidcSettings, claims: JWTPayload): string {
  const claimed = claims[userClaim];
  if (typeof claimed !== "string" || claimed === "")
    throw unauthorized(`The JWT has no claim "${userClaim}" with the name of the user.`);
  if (userClaim === "email" && (claims["email_verified"] ?? true) !== true)
    throw unauthorized("The issuer has not verified the e-mail address in the JWT.");
  const name = `${userPrefix}${claimed}`;
  if (name.length > maxNameLength || !namePattern.test(name))
    throw unauthorized(
      `The claim "${userClaim}" of the JWT cannot be the name of a user: it must be printable ASCII, at most ${maxNameLength} characters with the prefix.`,
    );
  // Kubernetes keeps these for itself, and the name may be the one to act as there.
  if (name.startsWith("system:"))
    throw unauthorized(`The claim "${userClaim}" of the JWT begins with "system:", which no user may.`);
  return name;
}

function groupsIn(claimed: unknown): string[] {
  const items: unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  return [...new Set(items.filter((item) => typeof item === "string" && item !== ""))].map(String);
}

function isGroup(group: string): boolean {
  return group.length <= singleLine.maxLength && groupPattern.test(group);
}

function ownValue(mapping: OidcSettings["roles"], group: string): Role | undefined {
  return Object.hasOwn(mapping, group) ? mapping[group] : undefined;
}

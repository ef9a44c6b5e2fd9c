import type { Role } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** The issuer of OpenID Connect whose JWTs are accepted, and what they mean here. */
export interface OidcSettings {
  /** Exactly as the issuer writes itself into its JWTs. */
  readonly issuer: string;
  /** The audience that JWTs must be for. */
  readonly clientId: string;
  /** The claim that names the user. */
  readonly userClaim: string;
  /** The claim that lists the groups of the user. */
  readonly groupsClaim: string;
  /** Put before the names, so that nobody becomes a User of Bowline by choosing a name at the issuer. */
  readonly userPrefix: string;
  readonly groupsPrefix: string;
  /** The roles of groups, as the issuer names them; of several the one that may do most. */
  readonly roles: Readonly<Record<string, Role>>;
  /** The role of those who have no other; missing for none. */
  readonly defaultRole?: Role | undefined;
}

const loopbackHosts: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether what is fetched from there can be trusted: nobody in between can have changed it. */
export function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && loopbackHosts.has(url.hostname));
}

/** `InvalidArgument` for settings that cannot work. */
export function requireOidcSettings({ issuer, clientId, userClaim }: OidcSettings): void {
  if (!isTrustworthyUrl(issuer) || /[?#]/u.test(issuer))
    throw refused("The OIDC issuer must be an https:// address without user, query and fragment.");
  if (clientId === "") throw refused("The OIDC client id must not be empty: it is the audience of JWTs.");
  if (userClaim === "") throw refused("The OIDC user claim must not be empty.");
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}

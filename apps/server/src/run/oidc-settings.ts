import type { OidcSettings } from "@bowline/auth";
import type { ServerConfig } from "../config/server-config.ts";

/** Undefined when no issuer was given. */
export function oidcSettings({ oidc }: ServerConfig): OidcSettings | undefined {
  const { issuer, clientId, roles = {}, ...others } = oidc;
  return issuer === undefined || clientId === undefined ? undefined : { ...others, issuer, clientId, roles };
}

import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";

import type { Clock } from "@bowline/core";

import { bearerProtocol } from "../api/socket-upgrade.ts";
import type { ClusterStore } from "../store/cluster-store.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { defaultAudience, type ServiceAccountTokens, type TokenClaims } from "./service-account-tokens.ts";
import type { UserInfo } from "./user-info.ts";

export interface AuthenticatorOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly tokens: ServiceAccountTokens;
  /** Users by bearer token; may change while the server runs. */
  readonly staticUsers: ReadonlyMap<string, UserInfo>;
  /** Whether a request without credentials goes on as `system:anonymous`. */
  readonly allowAnonymous: boolean;
}

const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Finds out who sends a request. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** The user behind a request; credentials that are wrong are refused even where none are needed. */
  identify(request: IncomingMessage): UserInfo {
    const header = request.headers.authorization ?? "";
    const shown = bearerProtocol(request);
    if (shown?.isAlone === true) throw unauthorized();
    const bearer = /^Bearer (\S+)$/i.exec(header)?.[1] ?? shown?.token;
    if (bearer !== undefined) {
      const user = this.userOfToken(bearer)?.user;
      if (!user) throw unauthorized();
      return user;
    }
    const certified = certificateUser(request);
    if (certified) return certified;
    if (!this.#options.allowAnonymous) throw unauthorized();
    return anonymous;
  }

  /** The user a token stands for, and the audiences it is meant for. */
  userOfToken(token: string): { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined {
    const known = this.#options.staticUsers.get(token);
    if (known) return { user: authenticated(known), audiences: [defaultAudience] };
    const claims = this.#options.tokens.read(token);
    if (!claims || !this.#isCurrent(claims)) return undefined;
    const { namespace, accountName, accountUid, audiences } = claims;
    return {
      user: authenticated({
        name: `system:serviceaccount:${namespace}:${accountName}`,
        uid: accountUid,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
      }),
      audiences: audiences.length > 0 ? audiences : [defaultAudience],
    };
  }

  /** A token dies with its time, its account and its Secret. */
  #isCurrent(claims: TokenClaims): boolean {
    const { store, clock } = this.#options;
    if (claims.expiresAt !== undefined && claims.expiresAt * 1000 <= clock.now()) return false;
    if (
      store.get("serviceaccounts", claims.namespace, claims.accountName)?.metadata.uid !== claims.accountUid
    )
      return false;
    return (
      claims.secretName === undefined ||
      store.get("secrets", claims.namespace, claims.secretName) !== undefined
    );
  }
}

/** The common name and organizations of a client certificate that the server's own authority has signed. */
function certificateUser(request: IncomingMessage): UserInfo | undefined {
  if (!(request.socket instanceof TLSSocket) || !request.socket.authorized) return undefined;
  const { subject } = request.socket.getPeerCertificate();
  if (!subject) return undefined;
  const groups = [subject.O ?? []].flat();
  return authenticated({ name: [subject.CN].flat()[0] ?? "", groups });
}

function authenticated(user: UserInfo): UserInfo {
  const group = "system:authenticated";
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}

function unauthorized(): SimStatusError {
  return new SimStatusError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

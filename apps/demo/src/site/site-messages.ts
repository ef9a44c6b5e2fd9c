/** What the demo says to the process of a cluster, once. It ends it by SIGTERM. */
export interface JoinOrder {
  readonly joinToken: string;
  /** Where the server is as seen from there; missing for where the token says. */
  readonly server?: string;
}

/**
 * What the process of a cluster says:
 * - `ready`: the simulated cluster runs
 * - `connected`: a server has welcomed its agent
 * - `failed`: it has to give up, for this reason
 */
export type SiteReport =
  | { readonly kind: "ready" | "connected" }
  | { readonly kind: "failed"; readonly message: string };

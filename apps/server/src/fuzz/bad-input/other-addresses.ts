import type { Role } from "@bowline/api";

/** An address that belongs to no kind and needs a token. */
export interface OtherAddress {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Who may ask. */
  readonly least: Role;
  /** Whether it has an opinion on what stands behind the question mark. */
  readonly knowsParameters: boolean;
}

export const otherAddresses: readonly OtherAddress[] = [
  { method: "GET", path: "/api/v1/whoami", least: "viewer", knowsParameters: true },
  { method: "POST", path: "/api/v1/login", least: "viewer", knowsParameters: true },
  { method: "POST", path: "/api/v1/tokens/operator-1/revoke", least: "admin", knowsParameters: true },
  { method: "GET", path: "/api/v1/events", least: "viewer", knowsParameters: true },
  { method: "GET", path: "/api/v1/audit", least: "admin", knowsParameters: true },
  { method: "GET", path: "/metrics", least: "viewer", knowsParameters: false },
];

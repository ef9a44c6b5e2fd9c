import type { ClusterAccess } from "@bowline/auth";

export interface Impersonation {
  readonly access: ClusterAccess;
  /** Name of the Bowline user. */
  readonly user: string;
  readonly requestId: string;
}

/**
 * Keys of what the cluster's own audit log says about a user beside name and groups. The agent must be allowed to
 * impersonate `userextras/…` of each. A slash in the key is escaped in the name of its header.
 */
const impersonationExtras = {
  requestId: "bowline.dev/request-id",
  user: "bowline.dev/user",
  grant: "bowline.dev/grant",
} as const;

const extraHeaders = {
  requestId: extraHeader(impersonationExtras.requestId),
  user: extraHeader(impersonationExtras.user),
  grant: extraHeader(impersonationExtras.grant),
};

/** Adds as whom a request is made, and on whose behalf. */
export function addImpersonation(headers: string[], { access, user, requestId }: Impersonation): void {
  headers.push("Impersonate-User", access.kubernetesUser);
  for (const group of access.groups) headers.push("Impersonate-Group", group);
  headers.push(extraHeaders.user, user, extraHeaders.grant, access.grant, extraHeaders.requestId, requestId);
}

function extraHeader(key: string): string {
  return `Impersonate-Extra-${encodeURIComponent(key)}`;
}

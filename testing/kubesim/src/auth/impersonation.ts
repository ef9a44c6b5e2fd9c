import type { IncomingHttpHeaders } from "node:http";

import type { ResourceQuestion } from "./rbac-authorizer.ts";
import type { UserInfo } from "./user-info.ts";

/** Somebody another user wants to act as, and what they must be allowed for it. */
export interface Impersonation {
  readonly user: UserInfo;
  readonly questions: readonly ResourceQuestion[];
  /** The mode that servers from 1.36 on try first; none for a service account with more than a name. */
  readonly mode?: "arbitrary-node" | "serviceaccount" | "user-info";
}

const extraPrefix = "impersonate-extra-";

/** Reads the `Impersonate-…` headers; undefined where there are none. */
export function readImpersonation(headers: IncomingHttpHeaders): Impersonation | undefined {
  const name = first(headers["impersonate-user"]);
  const groups = all(headers["impersonate-group"]);
  const uid = first(headers["impersonate-uid"]);
  const extra = extraOf(headers);
  if (name === undefined) return undefined;
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const implied =
    groups.length > 0 || !account ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`];
  return {
    user: {
      name,
      ...(uid === undefined ? {} : { uid }),
      groups: [...groups, ...implied, ...(name === "system:anonymous" ? [] : ["system:authenticated"])],
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    },
    ...modeOf(name, {
      isOnlyName: groups.length === 0 && uid === undefined && Object.keys(extra).length === 0,
    }),
    questions: [
      account
        ? question("serviceaccounts", account[2] ?? "", { namespace: account[1] ?? "" })
        : question("users", name, {}),
      ...groups.map((group) => question("groups", group, {})),
      ...(uid === undefined ? [] : [question("uids", uid, { group: "authentication.k8s.io" })]),
      ...Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => question(`userextras/${key}`, value, { group: "authentication.k8s.io" })),
      ),
    ],
  };
}

function modeOf(name: string, { isOnlyName }: { isOnlyName: boolean }): Pick<Impersonation, "mode"> {
  const isAccount = name.startsWith("system:serviceaccount:");
  const isNode = name.startsWith("system:node:");
  if (!isAccount && !isNode) return { mode: "user-info" };
  if (!isOnlyName) return {};
  return { mode: isNode ? "arbitrary-node" : "serviceaccount" };
}

function question(
  resource: string,
  name: string,
  place: { namespace?: string; group?: string },
): ResourceQuestion {
  return { verb: "impersonate", group: "", resource, name, ...place };
}

function extraOf(headers: IncomingHttpHeaders): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(extraPrefix))
      .map(([header, value]) => [decodeURIComponent(header.slice(extraPrefix.length)), all(value)]),
  );
}

/** Node joins headers of one name by commas; names of groups hold none. */
function all(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  const values = Array.isArray(value) ? value : value.split(",");
  return values.map((each) => each.trim()).filter((each) => each !== "");
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

import type { NodeRef } from "../model/node.ts";

/** Somebody as an API server knows them once they are authenticated. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Its members are asked for no rights at all: the API server lets them do everything before it looks at a rule. */
export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const anonymousUser = "system:anonymous";
export const accountsGroup = "system:serviceaccounts";

const accountPrefix = "system:serviceaccount:";

export const userRef = (name: string): NodeRef => ({ kind: "User", namespace: "", name });
export const groupRef = (name: string): NodeRef => ({ kind: "Group", namespace: "", name });
export const accountRef = (namespace: string, name: string): NodeRef => ({
  kind: "ServiceAccount",
  namespace,
  name,
});

/** The ServiceAccount whose name as a user this is. */
function accountOfUser(user: string): NodeRef | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name = "", ...more] = user.slice(accountPrefix.length).split(":");
  return namespace === "" || name === "" || more.length > 0 ? undefined : accountRef(namespace, name);
}

/** One node for one subject: bindings may name a ServiceAccount as itself, or as the user that it is. */
export function subjectOf(ref: NodeRef): NodeRef {
  return ref.kind === "User" ? (accountOfUser(ref.name) ?? ref) : ref;
}

/**
 * How a subject is looked up. Users and groups are apart; a ServiceAccount is the user of its name, in whichever form
 * somebody bound it.
 */
export function subjectKey({ kind, namespace, name }: NodeRef): string {
  if (kind === "Group") return groupKey(name);
  return userKey(kind === "ServiceAccount" ? `${accountPrefix}${namespace}:${name}` : name);
}

const userKey = (name: string): string => `u:${name}`;
const groupKey = (name: string): string => `g:${name}`;

/** Under how many names somebody can be bound: their own, and those of their groups. */
export function subjectKeys({ name, groups }: UserInfo): string[] {
  const ofGroups = groups.map((each) => groupKey(each));
  return name === "" ? ofGroups : [userKey(name), ...ofGroups];
}

/**
 * A subject as the API server would know them, with the groups that nobody is put into because everybody is in them.
 * What the cluster cannot know of a user, such as the groups of their identity provider, is given as `groups`. A group
 * stands for a member of it of whom nothing else is known.
 */
export function userOf(ref: NodeRef, groups: readonly string[] = []): UserInfo {
  const subject = subjectOf(ref);
  const { kind, namespace, name } = subject;
  if (kind === "ServiceAccount") {
    const own = [accountsGroup, `${accountsGroup}:${namespace}`, authenticatedGroup];
    return { name: `${accountPrefix}${namespace}:${name}`, groups: withGroups(groups, own) };
  }
  if (kind === "Group") return { name: "", groups: withGroups([name, ...groups], groupsAround(name)) };
  const everybody = name === anonymousUser ? unauthenticatedGroup : authenticatedGroup;
  return { name, groups: withGroups(groups, [everybody]) };
}

/** Groups that every member of a group is in as well. */
function groupsAround(group: string): string[] {
  if (group === unauthenticatedGroup) return [];
  const isOfNamespace = group.startsWith(`${accountsGroup}:`);
  return isOfNamespace ? [accountsGroup, authenticatedGroup] : [authenticatedGroup];
}

function withGroups(given: readonly string[], implied: readonly string[]): string[] {
  return [...new Set([...given, ...implied])];
}

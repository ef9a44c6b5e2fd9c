import type { RbacRole } from "./rbac.ts";
import { coversResource } from "./rule.ts";

/** Something that rules may allow, by which somebody gets further than their own rules say. */
interface Right {
  readonly verbs: readonly string[];
  readonly group: string;
  /** With their subresource after a slash. */
  readonly resources: readonly string[];
  /** Requests for it have no name, so that a rule with names allows none of them. */
  readonly isNameless?: true;
}

const rbacGroup = "rbac.authorization.k8s.io";
const certificates = "certificates.k8s.io";
const change = ["update", "patch"];

/**
 * Where servers differ, the more dangerous answer: up to 1.34 a `get` was enough for exec, as for what the kubelet
 * gives to whoever may `get nodes/proxy`.
 */
const rights = {
  everything: { verbs: ["*"], group: "*", resources: ["*"], isNameless: true },
  impersonateUsers: { verbs: ["impersonate"], group: "", resources: ["users"] },
  impersonateGroups: { verbs: ["impersonate"], group: "", resources: ["groups"] },
  impersonateAccounts: { verbs: ["impersonate"], group: "", resources: ["serviceaccounts"] },
  createTokens: { verbs: ["create"], group: "", resources: ["serviceaccounts/token"] },
  createPods: {
    verbs: ["create"],
    group: "",
    resources: ["pods", "replicationcontrollers"],
    isNameless: true,
  },
  createApps: {
    verbs: ["create"],
    group: "apps",
    resources: ["deployments", "replicasets", "statefulsets", "daemonsets"],
    isNameless: true,
  },
  createJobs: { verbs: ["create"], group: "batch", resources: ["jobs", "cronjobs"], isNameless: true },
  changeApps: {
    verbs: change,
    group: "apps",
    resources: ["deployments", "replicasets", "statefulsets", "daemonsets"],
  },
  changeCronJobs: { verbs: change, group: "batch", resources: ["cronjobs"] },
  changePods: { verbs: change, group: "", resources: ["pods", "pods/ephemeralcontainers"] },
  execPods: { verbs: ["create", "get"], group: "", resources: ["pods/exec", "pods/attach"] },
  proxyNodes: { verbs: ["create", "get"], group: "", resources: ["nodes/proxy"] },
  createSecrets: { verbs: ["create"], group: "", resources: ["secrets"], isNameless: true },
  readSecrets: { verbs: ["get", "list", "watch"], group: "", resources: ["secrets"] },
  createCertificates: {
    verbs: ["create"],
    group: certificates,
    resources: ["certificatesigningrequests"],
    isNameless: true,
  },
  approveCertificates: {
    verbs: change,
    group: certificates,
    resources: ["certificatesigningrequests/approval"],
  },
  approveSigners: { verbs: ["approve"], group: certificates, resources: ["signers"] },
  bindClusterRoles: { verbs: ["bind"], group: rbacGroup, resources: ["clusterroles"] },
  bindRoles: { verbs: ["bind"], group: rbacGroup, resources: ["roles"] },
  createClusterBindings: {
    verbs: ["create"],
    group: rbacGroup,
    resources: ["clusterrolebindings"],
    isNameless: true,
  },
  createBindings: { verbs: ["create"], group: rbacGroup, resources: ["rolebindings"], isNameless: true },
  changeClusterBindings: { verbs: change, group: rbacGroup, resources: ["clusterrolebindings"] },
  changeBindings: { verbs: change, group: rbacGroup, resources: ["rolebindings"] },
  escalateClusterRoles: { verbs: ["escalate"], group: rbacGroup, resources: ["clusterroles"] },
  escalateRoles: { verbs: ["escalate"], group: rbacGroup, resources: ["roles"] },
  changeClusterRoles: { verbs: change, group: rbacGroup, resources: ["clusterroles"] },
  changeRoles: { verbs: change, group: rbacGroup, resources: ["roles"] },
} as const satisfies Readonly<Record<string, Right>>;

export type RightName = keyof typeof rights;

/** A right that a rule of a role gives. */
export interface RoleRight {
  readonly right: RightName;
  readonly index: number;
  /** The objects it is for; empty for all of them. */
  readonly names: readonly string[];
}

const ofRole = new WeakMap<RbacRole, readonly RoleRight[]>();

/** Most roles have none. Found once for a role: one that changes is another. */
export function rightsOf(role: RbacRole): readonly RoleRight[] {
  let found = ofRole.get(role);
  if (!found) ofRole.set(role, (found = findRights(role)));
  return found;
}

function findRights({ rules }: RbacRole): RoleRight[] {
  return [...rules.entries()].flatMap(([index, rule]) =>
    rightNames
      .filter((right) => givesRight(rule, rights[right]))
      .map((right) => ({ right, index, names: rule.resourceNames })),
  );
}

export const rightNames = Object.keys(rights) as readonly RightName[];

function givesRight(
  rule: RbacRole["rules"][number],
  { verbs, group, resources, isNameless }: Right,
): boolean {
  const { resourceNames } = rule;
  if (isNameless && resourceNames.length > 0 && !resourceNames.includes("")) return false;
  return verbs.some((verb) =>
    resources.some((each) => {
      const [resource = "", subresource] = each.split("/");
      return coversResource(rule, { verb, group, resource, subresource });
    }),
  );
}

import { readFile } from "node:fs/promises";

import type { KubeObject } from "@bowline/kube";
import { parse } from "yaml";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

/** The rights that the documentation tells people to give an operator, by the heading above them, given to this user. */
export async function documentedRights(user: string, heading = "Rights"): Promise<KubeObject[]> {
  const metadata = { name: `operator-${heading.toLowerCase()}` };
  return [
    { apiVersion, kind: "ClusterRole", metadata, ...(await documentedRules(heading)) },
    { apiVersion, kind: "ClusterRoleBinding", metadata, ...binding(user, "ClusterRole", metadata.name) },
  ];
}

/** Rights for an operator that looks into some namespaces only, in each of them. */
export async function documentedRightsIn(user: string, namespaces: readonly string[]): Promise<KubeObject[]> {
  const rules = await documentedRules("Only some namespaces");
  return namespaces.flatMap((namespace) => {
    const metadata = { name: "operator", namespace };
    return [
      { apiVersion, kind: "Role", metadata, ...rules },
      { apiVersion, kind: "RoleBinding", metadata, ...binding(user, "Role", metadata.name) },
    ];
  });
}

async function documentedRules(heading: string): Promise<object> {
  const page = await readFile(new URL("../../../../docs/reference/operator.md", import.meta.url), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, block = ""] = /```yaml\n(.*?)```/su.exec(section) ?? [];
  const rules: object = parse(block);
  return rules;
}

function binding(user: string, kind: string, name: string): object {
  return {
    roleRef: { apiGroup: group, kind, name },
    subjects: [{ apiGroup: group, kind: "User", name: user }],
  };
}

import { readFile } from "node:fs/promises";

import type { KubeObject } from "@bowline/kube";
import { parse } from "yaml";

/** The rights that the documentation tells people to give an operator, by the heading above them, given to this user. */
export async function documentedRights(user: string, heading = "Rights"): Promise<KubeObject[]> {
  const page = await readFile(new URL("../../../../docs/reference/operator.md", import.meta.url), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, block = ""] = /```yaml\n(.*?)```/su.exec(section) ?? [];
  const rules: object = parse(block);
  const group = "rbac.authorization.k8s.io";
  const apiVersion = `${group}/v1`;
  const metadata = { name: `operator-${heading.toLowerCase()}` };
  return [
    { apiVersion, kind: "ClusterRole", metadata, ...rules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup: group, kind: "User", name: user }],
    },
  ];
}

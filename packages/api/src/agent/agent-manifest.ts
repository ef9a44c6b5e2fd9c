import { wrapText } from "@bowline/core";
import { Document, isMap, isSeq } from "yaml";

import type { AgentRights } from "../bodies/join-token.ts";
import { workloadDefinition } from "../crd/workload-resource.ts";
import { agentDeploymentSpec } from "./agent-deployment.ts";
import { clusterRulesFor } from "./agent-rights.ts";
import { agentNames, clusterRoleName, namespaceRules, type AgentRule } from "./agent-rules.ts";

export interface ManifestOptions {
  /** The cluster's name in Bowline. */
  readonly cluster: string;
  readonly namespace: string;
  readonly joinToken: string;
}

interface AgentManifestOptions extends ManifestOptions {
  readonly image: string;
  readonly rights: AgentRights;
}

interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** A Kubernetes object, and what to say above its rules if it has some. */
interface ManifestObject {
  readonly object: KubernetesObject;
  readonly ruleComments?: readonly string[];
}

const rbacGroup = "rbac.authorization.k8s.io";

/** Everything that runs an agent in a cluster, in an order in which it can be created. */
export function agentManifest(options: AgentManifestOptions): ManifestObject[] {
  const { cluster, namespace, image, rights } = options;
  const labels = labelsFor(cluster);
  const own = { name: agentNames.agent, namespace, labels };
  const rules = clusterRulesFor(rights);
  return [
    { object: namespaceObject(namespace) },
    // First, so that it is served when the agent asks for the first time.
    ...(rights === "tunnel" ? [] : [{ object: { ...workloadDefinition() } }]),
    {
      object: {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: own,
        automountServiceAccountToken: false,
      },
    },
    ...role("ClusterRole", { name: clusterRoleName(namespace), labels }, { rules, namespace }),
    ...role("Role", own, { rules: namespaceRules, namespace }),
    joinSecret(options),
    // Without data, so that applying this again leaves the key that is in it.
    {
      object: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { ...own, name: agentNames.keySecret },
        type: "Opaque",
      },
    },
    {
      object: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { ...own, name: agentNames.lease },
      },
    },
    {
      object: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: own,
        spec: agentDeploymentSpec({ image, labels, observesSecrets: rights === "observe-secrets" }),
      },
    },
  ];
}

/** The Secret that the agent joins with, once; another one takes its place when the agent is to join again. */
export function joinSecret({ cluster, namespace, joinToken }: ManifestOptions): ManifestObject {
  const metadata = { name: agentNames.joinSecret, namespace, labels: labelsFor(cluster) };
  return {
    object: { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", stringData: { token: joinToken } },
  };
}

function labelsFor(cluster: string): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": agentNames.agent,
    "app.kubernetes.io/instance": cluster,
    "app.kubernetes.io/part-of": "bowline",
  };
}

/** A namespace that takes no pods but those that keep to the `restricted` standard, as all of ours do. */
export function namespaceObject(name: string): KubernetesObject {
  const labels = {
    "app.kubernetes.io/part-of": "bowline",
    "pod-security.kubernetes.io/enforce": "restricted",
  };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** The role, and the binding that gives it to the agent. */
function role(
  kind: "ClusterRole" | "Role",
  metadata: ObjectMetadata,
  { rules, namespace }: { readonly rules: readonly AgentRule[]; readonly namespace: string },
): ManifestObject[] {
  const apiVersion = `${rbacGroup}/v1`;
  return [
    {
      object: { apiVersion, kind, metadata, rules: rules.map(({ rule }) => rule) },
      ruleComments: rules.map(({ why }) => why),
    },
    {
      object: {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: rbacGroup, kind, name: metadata.name },
        subjects: [{ kind: "ServiceAccount", name: agentNames.agent, namespace }],
      },
    },
  ];
}

const commentWidth = 100;

/** One text for `kubectl apply -f -`: documents of YAML with comments, or a List in JSON, which has no comments. */
export function printManifest(objects: readonly ManifestObject[], format: "yaml" | "json"): string {
  if (format === "json") {
    const items = objects.map(({ object }) => object);
    return `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2)}\n`;
  }
  return objects.map((each) => `---\n${toCommentedYaml(each)}`).join("");
}

function toCommentedYaml({ object, ruleComments = [] }: ManifestObject): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  const rules = document.get("rules");
  for (const [index, rule] of isSeq(rules) ? rules.items.entries() : []) {
    const comment = ruleComments[index];
    if (isMap(rule) && comment !== undefined) rule.commentBefore = commentLines(comment);
  }
  return document.toString({ lineWidth: 0 });
}

function commentLines(comment: string): string {
  return wrapText(comment, { columns: commentWidth, indent: 1 }).join("\n");
}

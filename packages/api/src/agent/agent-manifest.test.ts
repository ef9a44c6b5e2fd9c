import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

import { agentManifest, joinSecret, printManifest, type KubernetesObject } from "./agent-manifest.ts";
import { agentRights } from "../bodies/join-token.ts";

const options = {
  cluster: "prod-eu-1",
  namespace: "bowline-system",
  joinToken: "bwj_secret",
  image: "example.com/bowline:1.2.3",
  rights: "tunnel" as const,
};
const yaml = printManifest(agentManifest(options), "yaml");
const objects = parseAllDocuments(yaml).map((document): KubernetesObject => document.toJS());

function find(kind: string, name = "bowline-agent"): KubernetesObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

describe("the manifest of an agent", () => {
  test("is everything it takes, in an order in which it can be created", () => {
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "Namespace/bowline-system",
      "ServiceAccount/bowline-agent",
      "ClusterRole/bowline-system:bowline-agent",
      "ClusterRoleBinding/bowline-system:bowline-agent",
      "Role/bowline-agent",
      "RoleBinding/bowline-agent",
      "Secret/bowline-agent-join",
      "Secret/bowline-agent-key",
      "Lease/bowline-agent",
      "Deployment/bowline-agent",
    ]);
  });

  test("has the definition of Workloads for an agent that watches them", () => {
    const kinds = agentManifest({ ...options, rights: "workloads" }).map(({ object }) => object.kind);
    expect(kinds.slice(0, 3)).toEqual(["Namespace", "CustomResourceDefinition", "ServiceAccount"]);
  });

  test("asks the agent to observe Secrets with the rights to, and with no others", () => {
    const asks = agentRights.filter((rights) => {
      const text = printManifest(agentManifest({ ...options, rights }), "json");
      return text.includes('"BOWLINE_OBSERVE_SECRETS"');
    });
    expect(asks).toEqual(["observe-secrets"]);
  });

  test("lets the agent act as others, know the cluster, and do nothing else", () => {
    expect(find("ClusterRole", "bowline-system:bowline-agent")["rules"]).toEqual([
      { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] },
      {
        apiGroups: ["authentication.k8s.io"],
        resources: [
          "userextras/bowline.dev/request-id",
          "userextras/bowline.dev/user",
          "userextras/bowline.dev/grant",
        ],
        verbs: ["impersonate"],
      },
      { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
    ]);
  });

  test("lets it change its own Secret and Lease in its namespace, and no others", () => {
    const verbs = ["get", "update", "patch"];
    expect(find("Role")["rules"]).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["bowline-agent-key"], verbs },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: ["bowline-agent"], verbs },
    ]);
    expect(find("Secret", "bowline-agent-key")).not.toHaveProperty("data");
  });

  test("says above each rule what it is for", () => {
    const rules = yaml
      .split("\n")
      .flatMap((line, index, lines) => (/^ {2}- apiGroups:/u.test(line) ? [lines[index - 1]] : []));
    expect(rules).toHaveLength(5);
    for (const before of rules) expect(before).toMatch(/^ {2}# \w/u);
  });

  test("gives the roles to its own account", () => {
    for (const binding of [find("ClusterRoleBinding", "bowline-system:bowline-agent"), find("RoleBinding")]) {
      expect(binding).toMatchObject({
        roleRef: { kind: binding.kind.replace("Binding", ""), name: binding.metadata.name },
        subjects: [{ kind: "ServiceAccount", name: "bowline-agent", namespace: "bowline-system" }],
      });
    }
  });

  test("runs it as nobody, with nothing to write to", () => {
    expect(find("Namespace", "bowline-system").metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    expect(find("Deployment")).toMatchObject({
      spec: {
        replicas: 1,
        template: {
          spec: {
            serviceAccountName: "bowline-agent",
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                image: "example.com/bowline:1.2.3",
                livenessProbe: { httpGet: { port: "health" } },
                readinessProbe: { httpGet: { port: "health" } },
                resources: { requests: { cpu: "50m" }, limits: { memory: "512Mi" } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ["ALL"] },
                },
              },
            ],
            volumes: [{ name: "join", secret: { secretName: "bowline-agent-join", optional: true } }],
          },
        },
      },
    });
  });

  test("holds the join token in one Secret only, which can be printed alone", () => {
    expect(yaml.split("bwj_secret")).toHaveLength(2);
    const alone = parseAllDocuments(printManifest([joinSecret(options)], "yaml")).map((each): unknown =>
      each.toJS(),
    );
    expect(alone).toEqual([find("Secret", "bowline-agent-join")]);
  });

  test("is the same in JSON", () => {
    expect(JSON.parse(printManifest(agentManifest(options), "json"))).toEqual({
      apiVersion: "v1",
      kind: "List",
      items: objects,
    });
  });

  test("goes into another namespace as a whole, beside the agent of another server", () => {
    const [namespace, ...others] = agentManifest({ ...options, namespace: "fleet" }).map(
      ({ object }) => object,
    );
    expect(namespace?.metadata.name).toBe("fleet");
    const places = others.map(({ metadata }) => metadata.namespace ?? metadata.name);
    expect(new Set(places)).toEqual(new Set(["fleet", "fleet:bowline-agent"]));
  });
});

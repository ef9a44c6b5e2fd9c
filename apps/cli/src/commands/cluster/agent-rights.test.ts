import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { agentRights, type AgentRights } from "@bowline/api";
import { agentManifest, clusterRulesFor } from "@bowline/api/agent-manifest";

/** What the agent may read of a resource, the answers of RBAC. */
const questions = {
  workloads: "/apis/bowline.dev/v1alpha1/workloads",
  pods: "/api/v1/pods",
  deployments: "/apis/apps/v1/deployments",
  configmaps: "/api/v1/configmaps",
  events: "/api/v1/events",
  nodes: "/api/v1/nodes",
  storageclasses: "/apis/storage.k8s.io/v1/storageclasses",
  secrets: "/api/v1/secrets",
  "one secret": "/api/v1/namespaces/default/secrets/canary",
} as const;

/** A cluster with an agent that has these rights, and how it asks. */
async function clusterWith(rights: AgentRights) {
  const sim: Kubesim = await startKubesim({ tls: false, controllers: false });
  onTestFinished(() => sim.stop());
  const send = async (method: string, path: string, body: object | undefined, token: string) =>
    fetch(new URL(path, sim.url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const manifest = agentManifest({ cluster: "c", namespace: "sys", image: "i", joinToken: "t", rights });
  for (const { object } of manifest) {
    const { apiVersion, kind, metadata } = object;
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    const place = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    const path = `${root}${place}/${kind.toLowerCase()}s/${metadata.name}`;
    const query = "fieldManager=kubectl&force=true&fieldValidation=Strict";
    const { status } = await send("PATCH", `${path}?${query}`, object, sim.adminToken);
    if (status !== 201) throw new Error(`${kind} was answered with ${status}.`);
  }
  const account = "/api/v1/namespaces/sys/serviceaccounts/bowline-agent/token";
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const issued = await send("POST", account, request, sim.adminToken);
  const { status } = (await issued.json()) as { readonly status: { readonly token: string } };
  const asAgent = async (method: string, path: string, body?: object): Promise<number> =>
    (await send(method, path, body, status.token)).status;
  return { sim, asAgent };
}

async function readable(rights: AgentRights): Promise<string[]> {
  const { asAgent } = await clusterWith(rights);
  const answers = await Promise.all(
    Object.entries(questions).map(async ([name, path]) => [name, await asAgent("GET", path)] as const),
  );
  return answers.filter(([, status]) => status !== 403).map(([name]) => name);
}

describe("an agent can read by itself", () => {
  const ofWorkloads = ["workloads", "pods", "deployments", "configmaps", "events"];
  const ofKubernetes = [...ofWorkloads, "nodes", "storageclasses"];
  test.each<[AgentRights, string[]]>([
    ["tunnel", []],
    ["workloads", ofWorkloads],
    ["observe", ofKubernetes],
    ["observe-secrets", [...ofKubernetes, "secrets", "one secret"]],
  ])("with the rights %s", async (rights, expected) => {
    expect(await readable(rights)).toEqual(expected);
  });
});

test("no rights but those that say so name Secrets, or everything", () => {
  for (const rights of agentRights.filter((each) => each !== "observe-secrets")) {
    for (const { rule } of clusterRulesFor(rights)) {
      expect(rule.resources).not.toContain("secrets");
      expect(rule.apiGroups).not.toContain("*");
    }
    // Whoever may everything in the core group may read Secrets.
    const ofCore = clusterRulesFor(rights).filter(({ rule }) => rule.apiGroups.includes(""));
    expect(ofCore.flatMap(({ rule }) => rule.resources)).not.toContain("*");
  }
});

test("an agent writes Workloads and their status, and the definition of that kind alone", async () => {
  const { asAgent } = await clusterWith("workloads");
  const workload = {
    apiVersion: "bowline.dev/v1alpha1",
    kind: "Workload",
    metadata: { name: "web" },
    spec: { instanceId: "i", revision: "r", resources: [] },
  };
  const query = "?fieldManager=bowline&force=true";
  const one = `${questions.workloads}/web`;
  expect(await asAgent("PATCH", `${one}${query}`, workload)).toBe(201);
  const status = { ...workload, status: { health: "Healthy", conditions: [] } };
  expect(await asAgent("PATCH", `${one}/status${query}`, status)).toBe(200);
  expect(await asAgent("DELETE", one)).toBe(200);
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const labelled = (name: string): object => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, labels: { a: "b" } },
  });
  const patch = async (name: string): Promise<number> =>
    asAgent("PATCH", `${definitions}/${name}${query}`, labelled(name));
  expect(await patch("workloads.bowline.dev")).toBe(200);
  expect(await patch("others.example.com")).toBe(403);
});

test("an agent with the rights of the tunnel makes no Workload", async () => {
  const { asAgent } = await clusterWith("tunnel");
  expect(await asAgent("POST", questions.workloads, {})).toBe(403);
});

import { expect, test } from "vitest";

import { ClusterGraph } from "../graph/cluster-graph.ts";
import { Graph } from "../graph/graph.ts";
import { binding, role, rule } from "../rbac/testing/sample-facts.ts";
import { askingAbout, askingAboutAll, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import type { Asking } from "./asking.ts";
import { whatCanDo } from "./what-can.ts";
import { whoCanDo, type Person } from "./who-can.ts";

const objects = [
  role("shop/reader", [rule("get,list", "secrets")]),
  binding("shop/readers", "Role reader", "ServiceAccount shop/web", "Group team"),
  role("all", [rule("*", "*", { apiGroups: ["*"] })]),
  binding("admins", "ClusterRole all", "User root"),
  factsOf("ServiceAccount/shop/web"),
  factsOf("Pod/shop/web-1", {
    properties: { phase: "Running" },
    edges: [edge("RUNS_AS", [0, "ServiceAccount/shop/web"], "/spec/serviceAccountName")],
  }),
  factsOf("Pod/shop/done", {
    properties: { phase: "Succeeded" },
    edges: [edge("RUNS_AS", [0, "ServiceAccount/shop/web"], "/spec/serviceAccountName")],
  }),
];
const getSecrets = { verb: "get", group: "", resource: "secrets" };
const nobody = { people: [], maySeePeople: true };

function inShopOnly(asking: Asking): Asking {
  return { ...asking, canSee: (_, namespace) => namespace === "shop" };
}

test("who can is told with the rule, the role and the binding that say so, and the pods that run as them", () => {
  const answer = whoCanDo(askingAbout(objects), { ...getSecrets, namespace: "shop" }, nobody);
  expect(
    answer.holders.map(({ subject, grants }) => [told(subject), grants.map(({ text }) => text)]),
  ).toEqual([
    ["Group//system:masters", []],
    ["Group//team", ["get,list secrets"]],
    ["ServiceAccount/shop/web", ["get,list secrets"]],
    ["User//root", ["* * of *"]],
  ]);
  expect(answer.holders[1]?.grants[0]).toMatchObject({
    namespace: "shop",
    binding: { kind: "RoleBinding", name: "readers" },
    role: { kind: "Role", name: "reader" },
    at: "/rules/0",
  });
  expect(answer.accounts).toMatchObject([
    { account: { name: "web" }, podCount: 1, pods: [{ name: "web-1" }] },
  ]);
  expect(whoCanDo(askingAbout(objects), { ...getSecrets, namespace: "other" }, nobody).accounts).toEqual([]);
  expect(whoCanDo(askingAbout(objects), getSecrets, nobody).accounts).toHaveLength(1);
});

test("people are those whom a grant makes a user or member of a group that can, where it lets them", () => {
  const person = (grant: string, more: Partial<Person>): Person => ({
    cluster: "east",
    user: "editor",
    grant,
    kubernetesGroups: [],
    ...more,
  });
  const people = [
    person("as-team", { kubernetesGroups: ["team"] }),
    person("as-root", { kubernetesUser: "root", namespaces: ["other", "shop"] }),
    person("elsewhere", { kubernetesGroups: ["team"], namespaces: ["other"] }),
    person("west", { cluster: "west", kubernetesGroups: ["team"] }),
    person("as-nobody", {}),
  ];
  const asked = (maySeePeople: boolean) =>
    whoCanDo(askingAbout(objects), getSecrets, { people, maySeePeople });
  expect(
    asked(true).people.map(({ grant, namespaces, through }) => [grant, namespaces, through[0]?.name]),
  ).toEqual([
    ["as-team", undefined, "team"],
    ["as-root", ["other", "shop"], "root"],
  ]);
  expect(asked(false)).toMatchObject({ people: [], withheld: 2 });
});

test("bindings that one may not see are withheld, and counted", () => {
  const answer = whoCanDo(inShopOnly(askingAbout(objects)), getSecrets, nobody);
  expect(answer.holders.map(({ subject }) => told(subject))).not.toContain("User//root");
  expect(answer.withheld).toBe(1);
  expect(
    whatCanDo(inShopOnly(askingAbout(objects)), { kind: "User", namespace: "", name: "root" }),
  ).toMatchObject({
    clusters: [{ rules: [] }],
  });
});

test("what somebody can is told cluster by cluster, with whom they can become", () => {
  const runner = [
    role("shop/runner", [rule("create", "pods")]),
    binding("shop/runners", "Role runner", "User somebody"),
    binding("shop/lost", "Role nowhere", "User somebody"),
  ];
  const asking = askingAboutAll({ east: [...objects, ...runner], west: [] });
  const answer = whatCanDo(asking, { kind: "User", namespace: "", name: "somebody" });
  expect(answer.clusters[0]).toMatchObject({
    cluster: "east",
    isMaster: false,
    becomesMaster: false,
    rules: [{ text: "create pods", namespace: "shop" }],
    missing: [{ kind: "RoleBinding", name: "lost" }],
    becomes: [{ way: "runPod", to: { kind: "ServiceAccount", name: "web" } }],
  });
  expect(answer.clusters[0]?.becomes[0]?.sentence).toContain(
    "can make pods that run as ServiceAccount shop/web",
  );
  expect(answer.clusters[1]).toMatchObject({ cluster: "west", rules: [] });
  const elsewhere = whatCanDo(
    asking,
    { kind: "User", namespace: "", name: "somebody" },
    { namespace: "other" },
  );
  expect(elsewhere.clusters[0]?.rules).toEqual([]);
});

test("a role that changes is asked about as it is", () => {
  const own = ClusterGraph.from(objects);
  const asking = { ...askingAbout([]), graph: new Graph(new Map([["east", own]])) };
  const request = { ...getSecrets, namespace: "shop" };
  expect(whoCanDo(asking, request, nobody).accounts).toHaveLength(1);
  own.replace(role("shop/reader", [rule("get", "pods")]));
  expect(whoCanDo(asking, request, nobody).accounts).toEqual([]);
});

import { expect, test } from "vitest";

import { binding, role, rule } from "../rbac/testing/sample-facts.ts";
import { askingAbout } from "../testing/asking-about.ts";
import { factsOf } from "../testing/facts-of.ts";
import { requestWarnings } from "./request-warnings.ts";
import { whoCanDo } from "./who-can.ts";

const objects = [
  role("all", [rule("*", "*", { apiGroups: ["*"] })]),
  binding("admins", "ClusterRole all", "User root"),
  role("issuers", [rule("get,renew", "certificates,certificates/seal", { apiGroups: ["cert.example"] })]),
  factsOf("Rollout.deploy.example/shop/web"),
  factsOf("Policy.rules.example/shop/web"),
];

function warningsOf(verb: string, text: string): string[] {
  const [whole = "", subresource] = text.split("/");
  const [resource = "", ...group] = whole.split(".");
  return requestWarnings(askingAbout(objects), { verb, resource, subresource, group: group.join(".") });
}

test("a resource that nobody knows is answered by wildcards, and warned of", () => {
  const request = { verb: "get", group: "", resource: "nonsense" };
  const answer = whoCanDo(askingAbout(objects), request, { people: [], maySeePeople: true });
  expect(answer.holders.map(({ subject }) => subject)).toMatchObject([
    { name: "system:masters" },
    { name: "root" },
  ]);
  expect(answer.warnings).toEqual([
    "No resource nonsense is known: Kubernetes has none, and no object and no rule that you may see is of one, so that only rules for all resources are told.",
  ]);
});

test.each([
  ["what Kubernetes has", "get", "horizontalpodautoscalers.autoscaling"],
  ["what is observed where it is there", "get", "httproutes.gateway.networking.k8s.io"],
  ["what a rule names", "get", "certificates.cert.example"],
  ["what objects are of", "delete", "rollouts.deploy.example"],
  ["what objects are of that have another plural", "delete", "policies.rules.example"],
  ["what is asked about beside requests", "impersonate", "users"],
  ["whatever a user's extras are called", "impersonate", "userextras.authentication.k8s.io/scopes"],
  ["a subresource of Kubernetes", "create", "pods/exec"],
  ["a subresource that a rule names", "get", "certificates.cert.example/seal"],
  ["a verb that a rule names", "renew", "certificates.cert.example"],
  ["everything", "*", "*.*"],
])("nothing is odd about %s", (_, verb, resource) => {
  expect(warningsOf(verb, resource)).toEqual([]);
});

test.each([
  ["gett", "secrets", /^gett is no verb of Kubernetes.*did you mean «get»\?$/u],
  ["get", "secrts", /^No resource secrts is known.*did you mean «secrets»\?$/u],
  ["get", "certificates", /^No resource certificates is known.*did you mean certificates.cert.example\?$/u],
  ["get", "secrets.apps", /^No resource secrets.apps is known.*did you mean secrets\?$/u],
  ["get", "pods/logs", /^logs is no subresource of Kubernetes.*did you mean «log»\?$/u],
])("of %s %s it is told what was meant", (verb, resource, warning) => {
  expect(warningsOf(verb, resource)).toEqual([expect.stringMatching(warning)]);
});

test("verbs of paths are the methods of HTTP", () => {
  const asking = askingAbout(objects);
  expect(requestWarnings(asking, { verb: "get", nonResourceURL: "/metrics" })).toEqual([]);
  expect(requestWarnings(asking, { verb: "list", nonResourceURL: "/metrics" })).toHaveLength(1);
});

test("names in roles that one may not see are not given away", () => {
  const asking = askingAbout(objects, { canSee: (_, namespace) => namespace === "shop" });
  const [warning] = requestWarnings(asking, { verb: "get", group: "", resource: "certificates" });
  expect(warning).not.toContain("cert.example");
});

test("a name that is made to be long is cut", () => {
  const [warning = ""] = warningsOf("get", "a".repeat(10_000));
  expect(warning.length).toBeLessThan(500);
});

import { startControlPlane, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { NodeRef } from "../model/node.ts";
import { becomes, type Becoming } from "./becomes.ts";
import { compileRbac, type Rbac } from "./rbac.ts";
import { accountRef, groupRef, mastersGroup, subjectKey, userRef } from "./subject.ts";
import { AccessReviews, type Sent } from "./testing/access-reviews.ts";
import { listedFacts } from "./testing/listed-facts.ts";

type Deed = (user: string) => Omit<Sent, "user">;
type Goal = NodeRef | { readonly role: string; readonly namespace: string };

const group = "rbac.authorization.k8s.io";
const rbacPath = `/apis/${group}/v1`;
const admin = { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" };
const user = (name: string): object => ({ apiGroup: group, kind: "User", name });
const object = (kind: string, name: string, more: object): object => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  ...more,
});

const bindAdmin: Deed = (name) => ({
  method: "POST",
  path: `${rbacPath}/clusterrolebindings`,
  body: object("ClusterRoleBinding", `by-${name}`, { roleRef: admin, subjects: [user(name)] }),
});
const bindAdminInShop: Deed = (name) => ({
  method: "POST",
  path: `${rbacPath}/namespaces/shop/rolebindings`,
  body: object("RoleBinding", `by-${name}`, { roleRef: admin, subjects: [user(name)] }),
});
const join: Deed = (name) => ({
  method: "PATCH",
  path: `${rbacPath}/clusterrolebindings/joined`,
  body: { subjects: [user(name)] },
});
const widen: Deed = (name) => ({
  method: "PATCH",
  path: `${rbacPath}/clusterroles/${name}`,
  body: { rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] },
});
const askForToken: Deed = () => ({
  method: "POST",
  path: "/api/v1/namespaces/shop/serviceaccounts/web/token",
  body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
});
const runPod: Deed = (name) => ({
  method: "POST",
  path: "/api/v1/namespaces/shop/pods",
  body: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { serviceAccountName: "web", containers: [{ name: "it", image: "none" }] },
  },
});
const actAs =
  (name: string, ...groups: string[]): Deed =>
  () => ({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    },
    headers: {
      ...(name === "" ? {} : { "impersonate-user": name }),
      ...(groups.length === 0 ? {} : { "impersonate-group": groups.join(",") }),
    },
  });

const web = accountRef("shop", "web");
const webUser = "system:serviceaccount:shop:web";
const masters = groupRef(mastersGroup);
const everywhere = { role: "cluster-admin", namespace: "" };
const inShop = { role: "cluster-admin", namespace: "shop" };
/** Whether it must come off, who tries it, with which rights and where they hold, what they do and where it leads. */
type Attempt = readonly [boolean, title: string, where: "cluster" | "shop", rights: string, Deed, Goal];

const attempts: readonly Attempt[] = [
  [true, "binds any role", "cluster", "bind clusterroles; create clusterrolebindings", bindAdmin, everywhere],
  [false, "may not bind", "cluster", "create clusterrolebindings", bindAdmin, everywhere],
  [
    false,
    "binds another role",
    "cluster",
    "bind clusterroles view; create clusterrolebindings",
    bindAdmin,
    everywhere,
  ],
  [
    true,
    "joins a binding",
    "cluster",
    "bind clusterroles cluster-admin; patch clusterrolebindings joined",
    join,
    everywhere,
  ],
  [false, "joins and may not bind", "cluster", "patch clusterrolebindings", join, everywhere],
  [true, "binds in a namespace", "shop", "bind clusterroles; create rolebindings", bindAdminInShop, inShop],
  [
    false,
    "binds from a namespace",
    "shop",
    "bind clusterroles; create clusterrolebindings",
    bindAdmin,
    everywhere,
  ],
  [true, "asks for a token", "shop", "create serviceaccounts/token web", askForToken, web],
  [false, "asks for a token of another", "shop", "create serviceaccounts/token other", askForToken, web],
  [true, "runs a pod", "shop", "create pods", runPod, web],
  [false, "runs a pod of one name", "shop", "create pods runs-a-pod-of-one-name", runPod, web],
  [true, "acts as a user", "cluster", "impersonate users editor", actAs("editor"), userRef("editor")],
  [false, "acts as a user from a namespace", "shop", "impersonate users", actAs("editor"), userRef("editor")],
  [true, "acts as an account", "shop", "impersonate serviceaccounts web", actAs(webUser), web],
  [false, "acts as an account like a user", "cluster", "impersonate users", actAs(webUser), web],
  [
    true,
    "acts as a group",
    "cluster",
    "impersonate users; impersonate groups",
    actAs("editor", mastersGroup),
    masters,
  ],
  [
    true,
    "acts as an account in a group",
    "cluster",
    "impersonate serviceaccounts; impersonate groups",
    actAs(webUser, mastersGroup),
    masters,
  ],
  [false, "acts as a group alone", "cluster", "impersonate groups", actAs("", mastersGroup), masters],
  [true, "widens their role", "cluster", "escalate clusterroles; patch clusterroles", widen, masters],
  [false, "may not widen their role", "cluster", "patch clusterroles", widen, masters],
];

const nameOf = (title: string): string => title.replaceAll(" ", "-");

/** `create pods one; get secrets`, all of them also for the group of RBAC. */
function rulesOf(rights: string) {
  return rights.split("; ").map((right) => {
    const [verb = "", resource = "", ...resourceNames] = right.split(" ");
    return { verbs: [verb], apiGroups: ["", group], resources: [resource], resourceNames };
  });
}

let cluster: ApiServer;
let reviews: AccessReviews;
let rbac: Rbac;

beforeAll(async () => {
  cluster = await startControlPlane({ users: attempts.map(([, title]) => ({ name: nameOf(title) })) });
  reviews = new AccessReviews(cluster);
  await cluster.kubectl(["create", "namespace", "shop"]);
  await cluster.kubectl(["create", "serviceaccount", "web", "--namespace=shop"]);
  await cluster.kubectl(["create", "serviceaccount", "other", "--namespace=shop"]);
  const manifests = [
    object("ClusterRoleBinding", "joined", { roleRef: admin, subjects: [] }),
    ...attempts.flatMap(rightsOf),
  ];
  await cluster.kubectl(["create", "-f", "-"], {
    input: manifests.map((each) => JSON.stringify(each)).join("\n"),
  });
  rbac = compileRbac(await listedFacts(cluster));
});

afterAll(async () => {
  reviews?.[Symbol.dispose]();
  await cluster?.stop();
});

function rightsOf([, title, where, rights]: Attempt): object[] {
  const name = nameOf(title);
  const metadata = where === "shop" ? { name, namespace: "shop" } : { name };
  const kind = where === "shop" ? "RoleBinding" : "ClusterRoleBinding";
  const roleRef = { apiGroup: group, kind: "ClusterRole", name };
  return [
    object("ClusterRole", name, { rules: rulesOf(rights) }),
    { ...object(kind, name, { roleRef, subjects: [user(name)] }), metadata },
  ];
}

test.each(attempts)("%s: somebody %s", async (...[isPossible, title, where, rights, deed, goal]) => {
  const name = nameOf(title);
  const accounts = new Map([["shop", [{ name: "web" }, { name: "other" }]]]);
  expect(leadsTo(becomes(rbac, userRef(name), { accounts }), goal, name)).toBe(isPossible);
  await expect.poll(() => knows(name, where, rights)).toBe(true);
  const { status, answer } = await reviews.send({ ...deed(name), user: name });
  expect({ isDone: status >= 200 && status < 300, answer }).toMatchObject({ isDone: isPossible });
});

/** The authorizer hears of rights a moment after they were given. */
async function knows(name: string, where: string, rights: string): Promise<boolean> {
  const answers = await reviews.all(rulesOf(rights), ({ verbs, resources, resourceNames }) => {
    const [resource = "", subresource] = resources[0]?.split("/") ?? [];
    const place = { namespace: where === "shop" ? "shop" : "", name: resourceNames[0] };
    return reviews.ask(
      { name, groups: [] },
      { verb: verbs[0] ?? "", group, resource, subresource, ...place },
    );
  });
  return answers.every(({ allowed }) => allowed);
}

/** At once, and not through somebody else of this test. */
function leadsTo({ steps, master }: Becoming, goal: Goal, name: string): boolean {
  if (goal === masters) return master !== undefined;
  const own = steps.filter(({ from }) => from.name === name).map(({ to }) => to);
  if (!("role" in goal)) {
    return own.some((to) => to.type === "subject" && subjectKey(to.subject) === subjectKey(goal));
  }
  return own.some(
    (to) => to.type === "role" && to.role.name === goal.role && to.namespace === goal.namespace,
  );
}

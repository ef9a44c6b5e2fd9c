import { describe, expect, test } from "vitest";

import { becomes, stepText, type BecomesOptions } from "./becomes.ts";
import { compileRbac } from "./rbac.ts";
import { binding, role, rule, subject } from "./testing/sample-facts.ts";
import type { ObjectFacts, PolicyRule } from "../model/object-facts.ts";

const rbacRule = (verbs: string, resources: string, ...resourceNames: string[]): PolicyRule =>
  rule(verbs, resources, { apiGroups: ["rbac.authorization.k8s.io"], resourceNames });

/** Two accounts with something to gain, and somebody who has it all. */
const cluster: ObjectFacts[] = [
  role("nothing", []),
  role("admin", [rule("*", "*", { apiGroups: ["*"] })]),
  binding("shop/accounts", "ClusterRole nothing", "ServiceAccount shop/web", "ServiceAccount shop/db"),
  binding("other/accounts", "ClusterRole nothing", "ServiceAccount other/web"),
  binding("people", "ClusterRole nothing", "User editor", "Group ops"),
];

function reached(facts: readonly ObjectFacts[], options?: BecomesOptions) {
  const result = becomes(compileRbac([...cluster, ...facts]), subject("User somebody"), options);
  const subjects = result.steps.flatMap(({ to }) => (to.type === "subject" ? [to.subject] : []));
  const names = subjects.map(({ kind, namespace, name }) =>
    kind === "ServiceAccount" ? `${namespace}/${name}` : `${kind} ${name}`,
  );
  return { ...result, steps: result.steps, names: names.toSorted(), master: result.master, result };
}

const inShop = (...rules: PolicyRule[]): ObjectFacts[] => [
  role("shop/it", rules),
  binding("shop/it", "Role it", "User somebody"),
];
const everywhere = (...rules: PolicyRule[]): ObjectFacts[] => [
  role("it", rules),
  binding("it", "ClusterRole it", "User somebody"),
];

const allOfShop = ["shop/db", "shop/web"];
const all = ["other/web", ...allOfShop];

describe("somebody becomes", () => {
  test.each<[string, ObjectFacts[], string[]]>([
    ["nobody by reading", inShop(rule("get,list,watch", "pods,configmaps,secrets")), []],
    ["all accounts of a namespace by making pods", inShop(rule("create", "pods")), allOfShop],
    [
      "none by making pods of one name, which nobody can",
      inShop(rule("create", "pods", { resourceNames: ["a"] })),
      [],
    ],
    ["all accounts by making pods anywhere", everywhere(rule("create", "pods")), all],
    ["by Deployments", inShop(rule("patch", "deployments", { apiGroups: ["apps"] })), allOfShop],
    ["by CronJobs", inShop(rule("create", "cronjobs", { apiGroups: ["batch"] })), allOfShop],
    [
      "one account by its token",
      inShop(rule("create", "serviceaccounts/token", { resourceNames: ["web"] })),
      ["shop/web"],
    ],
    ["accounts by exec", inShop(rule("create", "pods/exec")), allOfShop],
    ["accounts by the wildcard for exec", inShop(rule("*", "*/exec")), allOfShop],
    ["accounts by debugging", inShop(rule("patch", "pods/ephemeralcontainers")), allOfShop],
    ["nobody by logs", inShop(rule("get", "pods/log")), []],
    ["all accounts through nodes", everywhere(rule("get", "nodes/proxy")), all],
    ["nobody through nodes by a RoleBinding", inShop(rule("get", "nodes/proxy")), []],
    [
      "accounts by Secrets made and read",
      inShop(rule("create", "secrets"), rule("get", "secrets")),
      allOfShop,
    ],
    ["nobody by Secrets made and not read", inShop(rule("create", "secrets")), []],
    [
      "accounts by impersonation",
      inShop(rule("impersonate", "serviceaccounts", { resourceNames: ["db"] })),
      ["shop/db"],
    ],
    ["users by impersonation", everywhere(rule("impersonate", "users")), ["User editor", "User somebody"]],
    [
      "one user by impersonation",
      everywhere(rule("impersonate", "users", { resourceNames: ["x"] })),
      ["User x"],
    ],
    ["nobody by groups alone", everywhere(rule("impersonate", "groups", { resourceNames: ["ops"] })), []],
    [
      "a group with a user",
      everywhere(rule("impersonate", "users,groups", { resourceNames: ["ops"] })),
      ["Group ops", "User ops"],
    ],
    ["nobody by impersonation of users in a namespace", inShop(rule("impersonate", "users")), []],
  ])("%s", (_, facts, names) => {
    expect(reached(facts).names.filter((each) => each !== "User somebody")).toEqual(
      names.filter((each) => each !== "User somebody"),
    );
    expect(reached(facts).master).toBeUndefined();
  });

  test("only accounts that exist, and by exec only those with pods of the name", () => {
    const accounts = new Map([
      [
        "shop",
        [
          { name: "web", pods: ["web-0"] },
          { name: "idle", pods: [] },
        ],
      ],
    ]);
    expect(reached(inShop(rule("create", "pods")), { accounts }).names).toEqual(["shop/idle", "shop/web"]);
    expect(reached(inShop(rule("create", "pods/exec")), { accounts }).names).toEqual(["shop/web"]);
    const named = rule("create", "pods/exec", { resourceNames: ["web-1"] });
    expect(reached(inShop(named), { accounts }).names).toEqual([]);
  });

  test("whoever those whom they become can become", () => {
    const { result, names } = reached([
      ...inShop(rule("create", "pods")),
      role("other/tokens", [rule("create", "serviceaccounts/token")]),
      binding("other/tokens", "Role tokens", "ServiceAccount shop/web"),
    ]);
    expect(names).toEqual(all);
    expect(result.pathTo(subject("ServiceAccount other/web")).map((step) => stepText(step))).toEqual([
      "User somebody can make pods that run as ServiceAccount shop/web: Role shop/it (/rules/0) by RoleBinding shop/it",
      "ServiceAccount shop/web can ask for a token of ServiceAccount other/web: Role other/tokens (/rules/0) by RoleBinding other/tokens",
    ]);
    expect(result.pathTo(subject("User editor"))).toEqual([]);
  });

  test("nobody twice, though they can become each other", () => {
    const { steps } = reached([
      ...inShop(rule("create", "pods")),
      binding("shop/back", "Role it", "ServiceAccount shop/web", "ServiceAccount shop/db"),
    ]);
    expect(steps).toHaveLength(2);
  });
});

describe("somebody may do everything", () => {
  const masters = [
    ["by a role that allows it, whatever its name", [binding("x", "ClusterRole admin", "User somebody")], 0],
    ["by impersonating any group", everywhere(rule("impersonate", "users,groups")), 1],
    [
      "by binding any role",
      everywhere(rbacRule("bind", "clusterroles"), rbacRule("create", "clusterrolebindings")),
      1,
    ],
    [
      "by joining a binding",
      [
        binding("admins", "ClusterRole admin", "User other"),
        ...everywhere(
          rbacRule("bind", "clusterroles", "admin"),
          rbacRule("patch", "clusterrolebindings", "admins"),
        ),
      ],
      1,
    ],
    ["by writing into a role of theirs", everywhere(rbacRule("escalate,update", "clusterroles")), 1],
    [
      "by a pod in a namespace, one of whose accounts may",
      [...inShop(rule("create", "pods")), binding("x", "ClusterRole admin", "ServiceAccount shop/db")],
      1,
    ],
    [
      "by all of a namespace, bound by themselves",
      [
        ...inShop(rbacRule("bind", "clusterroles"), rbacRule("create", "rolebindings")),
        binding("x", "ClusterRole admin", "ServiceAccount shop/db"),
      ],
      2,
    ],
    [
      "by a certificate of somebody who may",
      [
        ...everywhere(
          rule("create", "certificatesigningrequests", { apiGroups: ["certificates.k8s.io"] }),
          rule("update", "certificatesigningrequests/approval", { apiGroups: ["certificates.k8s.io"] }),
          rule("approve", "signers", {
            apiGroups: ["certificates.k8s.io"],
            resourceNames: ["kubernetes.io/kube-apiserver-client"],
          }),
        ),
        binding("x", "ClusterRole admin", "User editor"),
      ],
      1,
    ],
  ] satisfies [string, ObjectFacts[], number][];

  test.each(masters)("%s", (_, facts, steps) => {
    const { result, master } = reached(facts);
    expect(master).toBeDefined();
    expect(master && result.pathTo(master)).toHaveLength(steps);
    expect(result.pathTo(subject("ServiceAccount other/web"))).toHaveLength(steps + 1);
  });

  test.each<[string, ObjectFacts[]]>([
    ["by everything in one namespace", [binding("shop/x", "ClusterRole admin", "User somebody")]],
    ["by a role for one name", everywhere(rule("*", "*", { apiGroups: ["*"], resourceNames: ["a"] }))],
    ["by bind without bindings", everywhere(rbacRule("bind", "clusterroles"))],
    ["by bindings without bind", everywhere(rbacRule("create", "clusterrolebindings"))],
    ["by escalate without update", everywhere(rbacRule("escalate", "clusterroles"))],
    [
      "by escalating a role that they do not have",
      everywhere(rbacRule("escalate,update", "clusterroles", "other")),
    ],
    ["by update without escalate", everywhere(rbacRule("update,patch", "clusterroles"))],
  ])("not %s", (_, facts) => {
    expect(reached(facts).master).toBeUndefined();
  });

  test("and so becomes everybody", () => {
    const { names } = reached([binding("x", "ClusterRole admin", "User somebody")]);
    expect(names).toEqual(["Group ops", "Group system:masters", "User editor", ...all]);
  });

  test("as a member of system:masters, without a rule", () => {
    const { result, master } = reached([], { groups: ["system:masters"] });
    expect(master).toEqual(subject("User somebody"));
    expect(result.steps.map((step) => stepText(step))).toContain(
      "User somebody can impersonate Group ops: no rule is needed",
    );
  });
});

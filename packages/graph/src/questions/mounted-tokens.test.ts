import { expect, test } from "vitest";

import type { ObjectFacts, Properties } from "../model/object-facts.ts";
import { binding, role, rule } from "../rbac/testing/sample-facts.ts";
import { askingAbout, nodeOf, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { blastRadius } from "./blast-radius.ts";
import { path } from "./path.ts";
import { whatCanDo } from "./what-can.ts";
import { whoCanDo } from "./who-can.ts";

interface Tokens {
  /** What the pod says of a token. */
  readonly pod?: boolean;
  /** What its ServiceAccount says. */
  readonly account?: boolean;
}

function runner(name: string, mountsToken: boolean | undefined): ObjectFacts {
  const properties: Properties = mountsToken === undefined ? {} : { mountsToken };
  return factsOf(name, {
    edges: [edge("RUNS_AS", [0, "ServiceAccount/shop/web"], "/spec/serviceAccountName", properties)],
  });
}

/** A pod whose ServiceAccount may read a Secret. */
function reader({ pod, account }: Tokens): ObjectFacts[] {
  return [
    runner("Pod/shop/web", pod),
    factsOf("ServiceAccount/shop/web", {
      properties: account === undefined ? {} : { automountServiceAccountToken: account },
    }),
    factsOf("Secret/shop/keys"),
    role("shop/reader", [rule("get", "secrets")]),
    binding("shop/readers", "Role reader", "ServiceAccount shop/web"),
  ];
}

test.each([
  [{}, true],
  [{ account: false }, false],
  [{ account: true }, true],
  [{ pod: false }, false],
  [{ pod: false, account: true }, false],
  [{ pod: true, account: false }, true],
] satisfies [Tokens, boolean][])(
  "with %j, what a ServiceAccount may read is reached from its pod: %s",
  (tokens, isReached) => {
    const asking = askingAbout(reader(tokens));
    const [pod, secret] = [nodeOf(asking, "Pod/shop/web"), nodeOf(asking, "Secret/shop/keys")];
    expect(path(asking, pod, secret).found).toBe(isReached);
    const reached = blastRadius(asking, pod).reached.map(({ node }) => told(node));
    expect(reached.includes("Secret/shop/keys")).toBe(isReached);
    expect(reached.includes("RoleBinding/shop/readers")).toBe(isReached);
    // Whom it runs as is told in any case.
    expect(reached).toContain("ServiceAccount/shop/web");
  },
);

test("the way to a ServiceAccount itself is told, and that it ends there", () => {
  const asking = askingAbout(reader({ account: false }));
  const [pod, account] = [nodeOf(asking, "Pod/shop/web"), nodeOf(asking, "ServiceAccount/shop/web")];
  const { hops } = path(asking, pod, account);
  expect(hops.flatMap(({ edges }) => edges)).toMatchObject([
    {
      sentence: "Pod shop/web runs as ServiceAccount shop/web, without its token (/spec/serviceAccountName)",
    },
  ]);
  expect(blastRadius(asking, account).depending.map(({ node }) => told(node))).toContain("Pod/shop/web");
});

test("another way with a token leads on, however late it comes", () => {
  const group = factsOf("Deployment/shop/web", {
    edges: [
      edge("RUNS_AS", [0, "ServiceAccount/shop/web"], "/spec/template/spec", { mountsToken: false }),
      edge("OWNS", [0, "Pod/shop/web"], "/metadata/ownerReferences/0"),
    ],
  });
  const asking = askingAbout([...reader({ pod: true }), group]);
  const [from, secret] = [nodeOf(asking, "Deployment/shop/web"), nodeOf(asking, "Secret/shop/keys")];
  expect(path(asking, from, secret).hops.map(({ to }) => told(to))).toEqual([
    "Pod/shop/web",
    "ServiceAccount/shop/web",
    "Secret/shop/keys",
  ]);
  expect(blastRadius(asking, from).reached.map(({ node }) => told(node))).toContain("Secret/shop/keys");
});

test("who can, and whom one becomes in a pod, goes by pods that have a token", () => {
  const asking = askingAbout([
    ...reader({ account: false }),
    runner("Pod/shop/with", true),
    role("shop/entering", [rule("create", "pods/exec")]),
    binding("shop/entering", "Role entering", "User somebody"),
  ]);
  const request = { verb: "get", group: "", resource: "secrets", namespace: "shop" };
  const { accounts } = whoCanDo(asking, request, { people: [], maySeePeople: true });
  expect(accounts).toMatchObject([{ podCount: 1, pods: [{ name: "with" }] }]);
  const somebody = { kind: "User", namespace: "", name: "somebody" };
  expect(whatCanDo(asking, somebody).clusters[0]?.becomes).toMatchObject([{ way: "enterPod" }]);
  const without = askingAbout([
    ...reader({ account: false }),
    role("shop/entering", [rule("create", "pods/exec")]),
    binding("shop/entering", "Role entering", "User somebody"),
  ]);
  expect(whatCanDo(without, somebody).clusters[0]?.becomes).toEqual([]);
});

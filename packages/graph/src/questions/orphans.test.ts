import { expect, test } from "vitest";

import { askingAbout, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import type { CoverageGap } from "./asking.ts";
import { orphans } from "./orphans.ts";

test("what nobody uses is told, and what one expects to find is counted by why", () => {
  const answer = orphans(
    askingAbout([
      ...shop,
      factsOf("Secret/shop/old"),
      factsOf("ConfigMap/shop/old"),
      factsOf("PersistentVolumeClaim/shop/old"),
      factsOf("ServiceAccount/shop/ci"),
      factsOf("RoleBinding/shop/ci", {
        edges: [edge("BINDS", [0, "ServiceAccount/shop/ci"], "/subjects/0")],
      }),
      factsOf("ServiceAccount/shop/default"),
      factsOf("ConfigMap/shop/kube-root-ca.crt"),
      factsOf("ConfigMap/kube-system/kubeadm-config"),
      factsOf("Secret/shop/sh.helm.release.v1.web.v3"),
      factsOf("Secret/shop/release", { properties: { type: "helm.sh/release.v1" } }),
      factsOf("Secret/shop/ci-token", {
        properties: { annotations: { "kubernetes.io/service-account.name": "ci" } },
      }),
      factsOf("Secret/shop/web-cert", {
        edges: [edge("OWNS", ["Certificate.cert-manager.io/shop/web", 0], "/metadata/ownerReferences/0")],
      }),
    ]),
  );
  expect(answer.unused.map(({ node, bound }) => `${told(node)}${bound === true ? " bound" : ""}`)).toEqual([
    "ConfigMap/shop/old",
    "PersistentVolumeClaim/shop/old",
    "Secret/shop/old",
    "ServiceAccount/shop/ci bound",
  ]);
  expect(answer.expected).toEqual({
    "default of its namespace": 1,
    "published in every namespace": 1,
    "part of Kubernetes": 1,
    "release of Helm": 2,
    "token of a ServiceAccount": 1,
    "kept by its owner": 1,
  });
});

test("references to what does not exist are told with their fields, optional ones as such", () => {
  const missing = factsOf("Pod/shop/broken", {
    edges: [edge("USES_SECRET", [0, "Secret/shop/gone"], "/spec/imagePullSecrets/0")],
  });
  const { dangling, unknown } = orphans(askingAbout([...shop, missing]));
  expect(dangling).toMatchObject([
    {
      node: { kind: "ConfigMap", name: "flags", dangling: true },
      references: [{ edge: { at: "/spec/containers/0/envFrom/0/configMapRef" }, optional: true }],
      optional: true,
    },
    { node: { kind: "Secret", name: "gone" }, references: [{ from: { name: "broken" } }], optional: false },
  ]);
  expect(unknown).toBe(0);
});

test("nothing is missing of a kind that is not observed: nobody knows, and that is said", () => {
  const coverage: CoverageGap[] = [
    { cluster: "east", kind: "Secret", namespace: "", since: "2026-11-16T13:00:00Z", state: "FORBIDDEN" },
  ];
  const objects = [
    ...shop.filter(({ node }) => node.kind !== "Secret"),
    factsOf("Pod/shop/rollout", {
      edges: [edge("OWNS", ["Rollout.argoproj.io/shop/x", 0], "/metadata/ownerReferences/0")],
    }),
  ];
  const answer = orphans(askingAbout(objects, { coverage }));
  expect(answer.dangling.map(({ node }) => told(node))).toEqual(["ConfigMap/shop/flags dangling"]);
  expect([answer.unknown, answer.notObserved]).toEqual([2, coverage]);
});

test("orphans that one may not see are counted", () => {
  const objects = [...shop, factsOf("Secret/other/old"), factsOf("Secret/shop/old")];
  const answer = orphans(askingAbout(objects, { canSee: (_, namespace) => namespace === "shop" }), {
    limit: 1,
  });
  expect([answer.unused.map(({ node }) => told(node)), answer.withheld]).toEqual([["Secret/shop/old"], 1]);
});

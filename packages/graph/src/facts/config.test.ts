import { expect, test } from "vitest";

import { encodeFacts } from "../model/encode-facts.ts";
import { kindFacts } from "./kinds.ts";
import { factsOf, toldEdges } from "./testing/told.ts";

test.each(["Secret", "ConfigMap"])("of a %s nothing is told but metadata, whatever is given", (kind) => {
  const facts = factsOf("v1", kind, {
    type: "canary",
    immutable: true,
    data: { password: "canary" },
    stringData: { password: "canary" },
    binaryData: { password: "canary" },
    canary: "canary",
    metadata: {
      labels: { app: "shop" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "canary", team: "payments" },
      managedFields: [{ manager: "canary" }],
    },
  });
  expect(facts.properties).toEqual({ annotations: { team: "payments" }, labels: { app: "shop" } });
  expect(encodeFacts(facts)).not.toContain("canary");
  const known = kindFacts({ group: "", kind });
  expect(known.metadataOnly).toBe(true);
  expect(Object.keys(known.fields)).toEqual(["metadata"]);
});

test("a Secret with the token of a ServiceAccount is used by it", () => {
  const annotations = { "kubernetes.io/service-account.name": "builder" };
  expect(toldEdges(factsOf("v1", "Secret", { metadata: { annotations } }))).toEqual([
    "USES_SECRET: ServiceAccount/shop/builder → it, /metadata/annotations/kubernetes.io~1service-account.name (isToken)",
  ]);
});

test("a ServiceAccount uses its Secrets, and those it pulls images with", () => {
  const facts = factsOf("v1", "ServiceAccount", {
    automountServiceAccountToken: false,
    secrets: [{ name: "token" }, {}],
    imagePullSecrets: [{ name: "registry" }],
    metadata: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/shop" } },
  });
  expect(toldEdges(facts)).toEqual([
    "USES_SECRET: it → Secret/shop/token, /secrets/0",
    "USES_SECRET: it → Secret/shop/registry, /imagePullSecrets/0 (isForPulling)",
  ]);
  expect(facts.properties).toEqual({
    annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/shop" },
    automountServiceAccountToken: false,
  });
});

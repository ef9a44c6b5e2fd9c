import { asRecord } from "@bowline/core";

import { self } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { booleanOf, listOf, nameOf, pointerStep } from "../model/read-fields.ts";
import { referToSecret, wholeObject } from "./source.ts";

/** On a Secret that holds the token of a ServiceAccount. */
const tokenAnnotation = "kubernetes.io/service-account.name";

export const configKinds: readonly KindFacts[] = [
  // Of these two no more than metadata: whatever is in them stays in the cluster.
  defineKind({ group: "", kind: "ConfigMap", namespaced: true }),
  defineKind({
    group: "",
    kind: "Secret",
    namespaced: true,
    describe: (writer, { metadata }) => {
      const account = nameOf(asRecord(asRecord(metadata)["annotations"])[tokenAnnotation]);
      if (account === undefined) return;
      const { namespace } = writer.node;
      const at = `/metadata/annotations/${pointerStep(tokenAnnotation)}`;
      const from = { kind: "ServiceAccount", namespace, name: account };
      writer.edge("USES_SECRET", [from, self], at, { isToken: true });
    },
  }),
  defineKind({
    group: "",
    kind: "ServiceAccount",
    namespaced: true,
    fields: {
      automountServiceAccountToken: true,
      secrets: { name: true },
      imagePullSecrets: { name: true },
    },
    describe: (writer, object) => {
      const automount = booleanOf(object["automountServiceAccountToken"]);
      writer.describe({ automountServiceAccountToken: automount });
      const account = wholeObject(writer, "");
      for (const [index, item] of listOf(object["secrets"]).entries()) {
        referToSecret(account, asRecord(item)["name"], `/secrets/${index}`);
      }
      for (const [index, item] of listOf(object["imagePullSecrets"]).entries()) {
        const at = `/imagePullSecrets/${index}`;
        referToSecret(account, asRecord(item)["name"], at, { isForPulling: true });
      }
    },
  }),
];

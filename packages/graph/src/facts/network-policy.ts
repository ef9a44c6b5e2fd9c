import { asRecord } from "@bowline/core";

import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, type FactFields } from "../model/read-fields.ts";
import { selectorFields, selectorOf } from "../model/selector.ts";

const blockFields: FactFields = { ipBlock: { cidr: true } };

export const networkPolicyKind: KindFacts = defineKind({
  group: "networking.k8s.io",
  kind: "NetworkPolicy",
  namespaced: true,
  fields: {
    spec: {
      podSelector: selectorFields,
      policyTypes: true,
      ingress: { from: blockFields },
      egress: { to: blockFields },
    },
  },
  describe: (writer, object) => {
    const spec = asRecord(object["spec"]);
    const ingress = listOf(spec["ingress"]).map(asRecord);
    const egress = listOf(spec["egress"]).map(asRecord);
    const peers = [...ingress.flatMap(({ from }) => listOf(from)), ...egress.flatMap(({ to }) => listOf(to))];
    const blocks = peers.map((peer) => asRecord(asRecord(peer)["ipBlock"])["cidr"]);
    writer.describe({
      policyTypes: writer.texts(spec["policyTypes"], "policyTypes"),
      // None of a type that it is about: nothing comes in, or goes out.
      ingressRules: ingress.length,
      egressRules: egress.length,
      ipBlocks: writer.texts(
        blocks.filter((cidr) => typeof cidr === "string"),
        "ipBlocks",
      ),
    });
    // One that says nothing is about all pods of the namespace.
    writer.select("SELECTS", "Pod", selectorOf(spec["podSelector"] ?? {}), "/spec/podSelector");
  },
});

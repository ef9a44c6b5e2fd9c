import { asRecord } from "@bowline/core";

import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, textOf, trueOf } from "../model/read-fields.ts";

export const clusterObjectKinds: readonly KindFacts[] = [
  defineKind({
    group: "",
    kind: "Namespace",
    namespaced: false,
    fields: { status: { phase: true } },
    describe: (writer, { status }) => writer.describe({ phase: textOf(asRecord(status)["phase"]) }),
  }),
  defineKind({
    group: "",
    kind: "Node",
    namespaced: false,
    fields: {
      spec: { providerID: true, unschedulable: true, taints: { key: true, value: true, effect: true } },
      // Conditions, images and what is allocatable change all the time.
      status: {
        addresses: { address: true },
        nodeInfo: {
          architecture: true,
          containerRuntimeVersion: true,
          kernelVersion: true,
          kubeletVersion: true,
          osImage: true,
        },
      },
    },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      const status = asRecord(object["status"]);
      const info = asRecord(status["nodeInfo"]);
      writer.describe({
        providerID: textOf(spec["providerID"]),
        unschedulable: trueOf(spec["unschedulable"]),
        taints: writer.texts(listOf(spec["taints"]).flatMap(taintText), "taints"),
        addresses: writer.texts(
          listOf(status["addresses"]).map((item) => asRecord(item)["address"]),
          "addresses",
        ),
        architecture: textOf(info["architecture"]),
        containerRuntime: textOf(info["containerRuntimeVersion"]),
        kernel: textOf(info["kernelVersion"]),
        kubelet: textOf(info["kubeletVersion"]),
        osImage: textOf(info["osImage"]),
      });
    },
  }),
];

/** As kubectl writes it: `dedicated=gpu:NoSchedule`. */
function taintText(taint: unknown): string[] {
  const { key, value, effect } = asRecord(taint);
  const name = textOf(key);
  if (name === undefined) return [];
  return [`${name}${textOf(value) === undefined ? "" : `=${textOf(value)}`}:${textOf(effect) ?? ""}`];
}

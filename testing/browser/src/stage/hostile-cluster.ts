import type { Kubesim, NewObject } from "@bowline/kubesim";

import type { ClusterPlan } from "./joined-cluster.ts";
import { sampleNamespace, secretCanary } from "./sample-fleet.ts";

/** Set in a page by what should never have run. */
export const tripped = "bowlineTripped";

/** Texts that do something where somebody takes them for more than text. */
export const hostilePayloads: readonly string[] = [
  `<img src=x onerror="globalThis.${tripped}=1">`,
  `<script>globalThis.${tripped}=1</script>`,
  `"><svg/onload=globalThis.${tripped}=1>`,
  `javascript:globalThis.${tripped}=1`,
  `label | javascript:globalThis.${tripped}=1`,
  `data:text/html,<script>globalThis.${tripped}=1</script>`,
  `{{constructor.constructor('globalThis.${tripped}=1')()}}`,
  "https://user:password@example.test/\u202Egpj.exe",
  "\u202Eevil\u202C \u2066isolated\u2069 zero\u200Bwidth \uFEFF",
  "\u001B[31mred\u001B]0;title\u0007\u001B]52;c;ZXZpbA==\u0007\u001B]8;;javascript:1\u0007link\u001B]8;;\u0007",
  "null\u0001bell\u0007back\bdelete\u007F c1\u0085\u009B",
  "__proto__",
  "constructor",
  "${7*7} %s %n $& $1 \\u0000 \uD800",
  "a".repeat(100_000),
];

const texts = Object.fromEntries(
  hostilePayloads.map((payload, index) => [`example.test/text-${index}`, payload]),
);

/** A cluster that says the worst wherever it can say something. */
export const hostileCluster: ClusterPlan = {
  name: "hostile",
  prepare(sim) {
    const namespace = sampleNamespace;
    sim.api.create("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    for (const [resource, object] of objects(namespace)) sim.api.create(resource, object);
    addStatus(sim, namespace);
  },
};

type Placed = readonly [resource: string, object: NewObject];

function objects(namespace: string): Placed[] {
  const metadata = (name: string): NewObject["metadata"] => ({
    name,
    namespace,
    annotations: texts,
  });
  const keys = Object.fromEntries(hostilePayloads.map((payload, index) => [`key-${index}`, payload]));
  return [
    [
      "configmaps",
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: metadata("settings"),
        data: { ...keys, ["__proto__.polluted"]: "yes", constructor: "yes" },
      },
    ],
    [
      "secrets",
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: metadata("key"),
        type: hostilePayloads[0],
        data: { password: Buffer.from(secretCanary).toString("base64") },
      },
    ],
    [
      "pods",
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: metadata("till"),
        spec: {
          containers: [
            {
              name: "till",
              image: `example.test/${hostilePayloads[0]}`,
              command: hostilePayloads.slice(0, -1),
              env: hostilePayloads.map((value, index) => ({ name: `TEXT_${index}`, value })),
            },
          ],
        },
      },
    ],
    ...hostilePayloads.map((message, index): Placed => [
      "events",
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `worst.${index}`, namespace },
        involvedObject: { apiVersion: "v1", kind: "Pod", name: "till", namespace },
        type: "Warning",
        reason: message.slice(0, 100),
        message: message.slice(0, 1_000),
        source: { component: message.slice(0, 100) },
        firstTimestamp: new Date().toISOString(),
        lastTimestamp: new Date().toISOString(),
        count: 1,
      },
    ]),
  ];
}

/** What the pod says of itself. */
function addStatus(sim: Kubesim, namespace: string): void {
  const pod = sim.api.get("pods", namespace, "till");
  if (pod === undefined) throw new Error("The worst pod is not there.");
  const [message = "", reason = ""] = hostilePayloads;
  sim.api.updateStatus("pods", {
    ...pod,
    status: {
      phase: "Failed",
      message,
      reason,
      conditions: hostilePayloads.map((text, index) => ({
        type: `Worst${index}`,
        status: "False",
        reason: text.slice(0, 1_000),
        message: text,
      })),
    },
  });
}

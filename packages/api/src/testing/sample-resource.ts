import {
  customResourceDefinition,
  type CustomResourceDefinition,
} from "../crd/custom-resource-definition.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  integer,
  intOrString,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel } from "../schema/text-rule.ts";

/** A custom resource with a bit of everything that schemas can say. */
export function sampleResource(): CustomResourceDefinition {
  const port = object("A port.", {
    name: text("Tells ports apart.", dnsLabel),
    port: intOrString("A number or a name.", { maxLength: 15 }),
  });
  return customResourceDefinition({
    group: "test.bowline.dev",
    version: "v1alpha1",
    kind: "Sample",
    plural: "samples",
    shortNames: ["smp"],
    categories: ["bowline"],
    scope: "Namespaced",
    description: "A sample.",
    spec: object("What it should be.", {
      mode: withDefault(choice("How it works.", ["fast", "safe"]), "safe"),
      replicas: integer("How many.", { minimum: 0, maximum: 9 }),
      ports: withDefault(list("Its ports.", port, { maxItems: 4, uniqueBy: "name" }), []),
      zones: optional(list("Where it runs.", text("A zone.", dnsLabel), { maxItems: 3, unique: true })),
      labels: optional(
        map("Labels.", text("A value.", { maxLength: 9 }), { keys: dnsLabel, maxProperties: 3 }),
      ),
    }),
    status: statusOf({}),
    columns: [
      { header: "REPLICAS", path: "spec.replicas" },
      { header: "READY", path: "status.conditions.Ready" },
      {
        header: "LAST-CHANGE",
        path: "status.conditions.Ready.lastTransitionTime",
        format: "age",
        wide: true,
      },
    ],
  });
}

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { factFields, type FactFields } from "./fact-fields.ts";
import { healthFacts } from "./health-facts.ts";

/** As a reader does that decodes only these fields; lists are looked through. */
function cut(value: unknown, keep: true | FactFields): unknown {
  if (keep === true || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cut(item, keep));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const inner = Object.hasOwn(keep, name) ? keep[name] : undefined;
      return inner === undefined ? [] : [[name, cut(part, inner)]];
    }),
  );
}

const kinds = [
  ["", "v1", "Pod"],
  ["", "v1", "Secret"],
  ["apps", "apps/v1", "Deployment"],
  ["batch", "batch/v1", "CronJob"],
  ["autoscaling", "autoscaling/v1", "HorizontalPodAutoscaler"],
  ["example.com", "example.com/v1", "Widget"],
] as const;

const names =
  "conditions type status reason message phase replicas paused suspend containers containerStatuses state running waiting terminated exitCode name ready annotations generation finalizers ownerReferences controller kind active data env".split(
    " ",
  );
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom("True", "x", 1, true, null),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("tree"), { maxKeys: 8 }),
  ),
}));

test("an object that was cut down to these fields has the facts of the whole", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      tree,
      tree,
      tree,
      ([group, apiVersion, kind], metadata, spec, status) => {
        const object = { apiVersion, kind, metadata, spec, status, data: { password: "x" } };
        const { statusFields: _, ...whole } = healthFacts(object);
        const kept = cut({ metadata, spec, status }, factFields({ group, kind }));
        const { statusFields: __, ...ofPart } = healthFacts({ apiVersion, kind, ...(kept as object) });
        expect(ofPart).toEqual(whole);
      },
    ),
  );
});

test("neither data nor environment nor other annotations are among them", () => {
  const pod = factFields({ group: "", kind: "Pod" });
  expect(JSON.stringify(pod)).not.toMatch(/"(?:data|env|labels|last-applied)/u);
  expect(factFields({ group: "", kind: "Secret" })).not.toHaveProperty("data");
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { User } from "../kinds/user.ts";
import { WorkloadDefinition } from "../kinds/workload-definition.ts";
import { WorkloadInstance } from "../kinds/workload-instance.ts";
import { minimalSpecs, returnedObject } from "../testing/samples.ts";
import { matchesFields, parseFieldSelector, printFieldSelector } from "./field-selector.ts";

const cluster = returnedObject(Cluster, { metadata: { name: "prod" }, spec: { region: "eu" } });
const instance = returnedObject(WorkloadInstance, {
  metadata: { name: "web" },
  spec: { ...minimalSpecs["WorkloadInstance"], placement: { clusters: ["a", "b"] } },
});

describe("parseFieldSelector", () => {
  test("says where each field is, for a store that filters by itself", () => {
    expect(
      parseFieldSelector(
        Cluster,
        " spec.provider = existing, status.conditions.Ready!=True".replaceAll(" ", ""),
      ),
    ).toEqual([
      {
        operator: "=",
        value: "existing",
        field: {
          text: "spec.provider",
          type: "string",
          choices: ["existing", "exec", "clusterapi", "kind", "eks"],
          absent: "",
          steps: [
            { step: "property", name: "spec" },
            { step: "property", name: "provider" },
          ],
        },
      },
      {
        operator: "!=",
        value: "True",
        field: {
          text: "status.conditions.Ready",
          type: "string",
          choices: ["True", "False", "Unknown"],
          absent: "Unknown",
          steps: [
            { step: "property", name: "status" },
            { step: "property", name: "conditions" },
            { step: "where", key: "type", value: "Ready" },
            { step: "property", name: "status" },
          ],
        },
      },
    ]);
  });

  test.each([
    ["spec.provder=kind", "A Cluster cannot be selected by «spec.provder»; did you mean «spec.provider»?"],
    ["nonsense=1", "the fields are metadata.name, metadata.managedBy.configSource, spec.provider,"],
    ["spec.provider", "which is neither field=value nor field!=value"],
    ["spec.provider=a=b", "which is neither field=value nor field!=value"],
    [
      "spec.provider=gke",
      "The field spec.provider is one of existing, exec, clusterapi, kind, eks, not «gke».",
    ],
    ["status.conditions.Ready=yes", "is one of True, False, Unknown, not «yes»."],
    ["metadata.name=a,", "which is neither"],
    [`metadata.name=${"a".repeat(5000)}`, "longer than 4096 characters"],
  ])("refuses «%.30s» and says why", (text, message) => {
    expect(() => parseFieldSelector(Cluster, text)).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
    expect(() => parseFieldSelector(Cluster, text)).toThrow(message);
  });

  test("checks flags", () => {
    expect(parseFieldSelector(User, "spec.disabled=true")).toMatchObject([
      { value: "true", field: { type: "boolean" } },
    ]);
    expect(() => parseFieldSelector(User, "spec.disabled=yes")).toThrow("is one of true, false");
  });

  test("what is printed is read back as the same", () => {
    const fields = WorkloadDefinition.filterable.filter((field) => field.choices === undefined);
    const requirement = fc.record({
      field: fc.constantFrom(...fields),
      operator: fc.constantFrom("=" as const, "!=" as const),
      value: fc.string({ unit: "binary" }),
    });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), (requirements) => {
        expect(parseFieldSelector(WorkloadDefinition, printFieldSelector(requirements))).toEqual(
          requirements,
        );
      }),
    );
  });
});

describe("matchesFields", () => {
  test.each([
    ["metadata.name=prod", true],
    ["metadata.name!=prod", false],
    ["spec.provider=existing,spec.region=eu", true],
    ["spec.provider=existing,spec.region=us", false],
    ["status.clusterUid=", true],
    ["status.clusterUid!=", false],
    ["status.conditions.Ready=Unknown", true],
    ["status.conditions.Ready!=True", true],
    ["status.conditions.Ready=True", false],
  ])("«%s» on a new cluster: %s", (text, expected) => {
    expect(matchesFields(parseFieldSelector(Cluster, text), cluster)).toBe(expected);
  });

  test.each([
    ["spec.placement.clusters=b", true],
    ["spec.placement.clusters=c", false],
    ["spec.placement.clusters!=c", true],
    ["spec.placement.clusters!=a", false],
  ])("a list holds a value if one of its items is it: «%s» is %s", (text, expected) => {
    expect(matchesFields(parseFieldSelector(WorkloadInstance, text), instance)).toBe(expected);
  });

  test("a condition that is set is compared by its status", () => {
    const status = {
      conditions: [
        {
          type: "Ready",
          status: "True" as const,
          reason: "Fine",
          message: "",
          lastTransitionTime: "2026-01-31T12:00:00Z",
          observedGeneration: 1,
        },
      ],
    };
    const ready = parseFieldSelector(Cluster, "status.conditions.Ready=True");
    expect(matchesFields(ready, { ...cluster, status })).toBe(true);
  });
});

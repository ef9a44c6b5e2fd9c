import { describe, expect, test } from "vitest";

import { AccessGrant } from "./access-grant.ts";
import { Cluster } from "./cluster.ts";
import { Credential } from "./credential.ts";
import { kinds } from "./index.ts";
import { referencesOf, referrersOf } from "./references.ts";
import { WorkloadInstance } from "./workload-instance.ts";

function namesOf(found: ReturnType<typeof referencesOf>): string[] {
  return found.map(({ field, kind, name }) => `${field} → ${kind}/${name}`);
}

describe("referencesOf", () => {
  test("names every object that an object names", () => {
    const spec = { definition: "web", placement: { clusters: ["a", "b"] } };
    expect(namesOf(referencesOf(WorkloadInstance, { spec }))).toEqual([
      "spec.definition → WorkloadDefinition/web",
      "spec.placement.clusters[] → Cluster/a",
      "spec.placement.clusters[] → Cluster/b",
    ]);
  });

  test("leaves out what is not set", () => {
    const spec = { subjects: [{ group: "ops" }, { user: "editor" }], clusters: { selector: {} } };
    expect(namesOf(referencesOf(AccessGrant, { spec }))).toEqual(["spec.subjects[].user → User/editor"]);
  });
});

describe("referrersOf", () => {
  test("names the fields that can hold the name of a cluster", () => {
    const fields = referrersOf(Cluster).map(({ from, reference }) => `${from.kind} ${reference.field}`);
    expect(fields).toEqual([
      "WorkloadInstance spec.placement.clusters[]",
      "AccessGrant spec.clusters.names[]",
    ]);
  });

  test("a credential is never taken away from what uses it", () => {
    const cascades = referrersOf(Credential).map(({ reference }) => reference.cascade);
    expect(cascades).toEqual(["refuse", "refuse"]);
  });
});

test("every reference is to a kind that exists", () => {
  const names = kinds.map((kind) => kind.kind);
  for (const kind of kinds) {
    for (const reference of kind.references) expect(names).toContain(reference.kind);
  }
});

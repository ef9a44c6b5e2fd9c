import { describe, expect, test } from "vitest";

import { statusOf } from "../bodies/status.ts";
import { object } from "../schema/build.ts";
import { sampleResource } from "../testing/sample-resource.ts";
import { structuralProblems } from "../testing/structural-problems.ts";
import { customResourceDefinition, type CustomResourceOptions } from "./custom-resource-definition.ts";

describe("customResourceDefinition", () => {
  test("looks like this", () => {
    expect(sampleResource()).toMatchSnapshot();
  });

  test("is structural, root and all", () => {
    const [version] = sampleResource().spec.versions;
    expect(structuralProblems(version?.schema.openAPIV3Schema ?? {})).toEqual([]);
  });

  const options: CustomResourceOptions = {
    group: "test.bowline.dev",
    version: "v1",
    kind: "Thing",
    plural: "things",
    scope: "Cluster",
    description: "A thing.",
    spec: object("", {}),
    status: statusOf({}),
    columns: [],
  };

  test("has an age even when it has no other column", () => {
    expect(customResourceDefinition(options).spec.versions[0]?.additionalPrinterColumns).toEqual([
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ]);
  });

  test.each([
    ["shows a field that is not there", { header: "X", path: "spec.nothing" }],
    ["counts, which Kubernetes cannot", { header: "X", path: "status.conditions", format: "count" as const }],
  ])("refuses a column that %s", (_, column) => {
    expect(() => customResourceDefinition({ ...options, columns: [column] })).toThrow("The column X");
  });
});

import { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import { placement as placementOf } from "@bowline/store/testing";
import { typed } from "@bowline/store";
import { setCondition } from "@bowline/runtime";
import { describe, expect, test } from "vitest";

import { dependencyCycle, dependencyWait } from "./dependencies.ts";

function instance(name: string, ...dependsOn: string[]): WorkloadInstance {
  const spec = {
    definition: "web",
    placement: { clusters: ["one"] },
    dependsOn: dependsOn.map((each) => ({ instance: each })),
  };
  return typed(WorkloadInstance, returnedObject(WorkloadInstance, { metadata: { name }, spec }));
}

function placement(name: string, cluster: string, status: "True" | "False" | undefined): WorkloadPlacement {
  const { spec } = placementOf(name, cluster);
  const made = returnedObject(WorkloadPlacement, { metadata: { name: `${name}-${cluster}` }, spec });
  const message = "The image cannot be pulled.";
  const said = { type: "Ready", reason: "Said", message, observedGeneration: 1 };
  const conditions = status === undefined ? [] : [...setCondition([], { ...said, status }, 0)];
  return typed(WorkloadPlacement, { ...made, status: { ...made.status, conditions } });
}

describe("An instance that depends on another", () => {
  const web = instance("web", "database");

  test.each([
    ["ready here", "True", undefined],
    ["not ready here", "False", "It waits until wi/database is ready here: The image cannot be pulled."],
    ["yet to be looked at", undefined, "It waits until wi/database is ready here."],
  ] as const)("is looked at in each cluster: %s", (_, status, message) => {
    const found = dependencyWait(web, "one", [
      placement("database", "one", status),
      placement("database", "two", "True"),
    ]);
    expect(found?.message).toBe(message);
  });

  test("waits where that one is not", () => {
    expect(dependencyWait(web, "two", [placement("database", "one", "True")])).toEqual({
      reason: "WaitingForDependency",
      message: "It waits for wi/database, which is not in this cluster.",
    });
  });
});

describe("A cycle", () => {
  test("is told as the way around", () => {
    const all = [instance("a", "b"), instance("b", "x", "c"), instance("c", "a"), instance("x")];
    expect(dependencyCycle("a", ["b"], all)).toEqual(["a", "b", "c", "a"]);
    expect(dependencyCycle("x", [], all)).toBeUndefined();
  });

  test("is found with what is about to be written, and others' cycles are not one's own", () => {
    expect(dependencyCycle("a", ["b"], [instance("b", "a")])).toEqual(["a", "b", "a"]);
    expect(dependencyCycle("y", ["a"], [instance("a", "b"), instance("b", "a")])).toBeUndefined();
    expect(dependencyCycle("a", ["a"], [])).toEqual(["a", "a"]);
  });
});

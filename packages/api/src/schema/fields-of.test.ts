import { expect, test } from "vitest";

import { Credential } from "../kinds/credential.ts";
import { WorkloadInstance } from "../kinds/workload-instance.ts";
import { fieldsOf } from "./fields-of.ts";

test("lists every field, those inside of lists too, with type, default and limits", () => {
  const fields = new Map(fieldsOf(WorkloadInstance.spec).map((field) => [field.path, field]));
  const isOfMany = /^(?:limit|spread|revision|paused|dependsOn|overrides|rollout)/u;
  expect([...fields.keys()].filter((path) => !isOfMany.test(path))).toEqual([
    "definition",
    "placement",
    "placement.clusters",
    "placement.selector",
    "placement.selector.matchLabels",
    "placement.selector.matchExpressions",
    "placement.selector.matchExpressions[].key",
    "placement.selector.matchExpressions[].operator",
    "placement.selector.matchExpressions[].values",
    "namespace",
    "parameters",
    "prune",
    "pruneLimit",
    "pruneLimit.count",
    "pruneLimit.percent",
    "deletionPolicy",
    "conflicts",
    "takeoverFrom",
    "drift",
    "ignore",
    "ignore[].group",
    "ignore[].kind",
    "ignore[].name",
    "ignore[].paths",
    "approved",
    "approved.revision",
    "approved.wave",
    "approved.failures",
    "actingUser",
  ]);
  expect([...fields.keys()]).toEqual(
    expect.arrayContaining(["overrides[].patches[].patch.json[].op", "rollout.waves[].clusters.percent"]),
  );
  expect(fields.get("definition")).toMatchObject({ type: "string", required: true });
  expect(fields.get("placement")?.limits).toEqual(["exactly one of its fields"]);
  expect(fields.get("placement.clusters")).toMatchObject({ type: "list of strings", required: false });
  expect(fields.get("placement.clusters")?.limits).toContain("1 to 500 items");
  expect(fields.get("parameters")?.type).toBe("map of strings");
  expect(fields.get("prune")).toMatchObject({ type: "boolean", required: false, default: true });
  expect(fields.get("deletionPolicy")?.limits).toEqual(["one of `delete`, `retain`"]);
});

test("says of a secret that it is never returned", () => {
  expect(fieldsOf(Credential.spec).find((field) => field.path === "data")?.limits).toContain(
    "never returned",
  );
});

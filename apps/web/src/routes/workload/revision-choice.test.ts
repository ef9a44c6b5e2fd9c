import { expect, test } from "vitest";

import { yamlText } from "../../kube/yaml-text.ts";
import { comparedRevisions, revisionsPath, revisionText } from "./revision-choice.ts";

const items = ["c", "b", "a"].map((id) => ({ id }));
const idsOf = (chosen: { from?: string; to?: string }, list = items): unknown[] => {
  const { from, to } = comparedRevisions(list, chosen);
  return [from?.id, to?.id];
};

test("the newest is compared with the one before it, until somebody chooses others", () => {
  expect(idsOf({})).toEqual(["b", "c"]);
  expect(idsOf({ to: "b" })).toEqual(["a", "b"]);
  expect(idsOf({ from: "a" })).toEqual(["a", "c"]);
  expect(idsOf({ from: "c", to: "a" })).toEqual(["c", "a"]);
  expect(idsOf({ to: "a" })).toEqual(["c", "a"]);
});

test("what is not kept any more is not compared, nor is one with itself", () => {
  expect(idsOf({ from: "gone", to: "gone" })).toEqual(["b", "c"]);
  expect(idsOf({}, items.slice(0, 1))).toEqual([undefined, "c"]);
  expect(idsOf({}, [])).toEqual([undefined, undefined]);
});

test("addresses hold whatever a name holds", () => {
  expect(revisionsPath("a/b", { instance: "x y" })).toBe(
    "/api/v1/workloaddefinitions/a%2Fb/revisions?instance=x+y",
  );
  expect(revisionsPath("web", {}, "sha256:a")).toBe("/api/v1/workloaddefinitions/web/revisions/sha256%3Aa");
});

test("manifests are documents of one text, behind the parameters", () => {
  const manifests = [{ kind: "ConfigMap", apiVersion: "v1" }, { kind: "Secret" }];
  expect(revisionText({ manifests, parameters: [] }, yamlText)).toBe(
    "kind: ConfigMap\napiVersion: v1\n---\nkind: Secret\n",
  );
  expect(revisionText({ manifests: [], parameters: [{ name: "image" }] }, yamlText)).toBe(
    "# parameters\n- name: image\n",
  );
});

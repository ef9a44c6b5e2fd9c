import { describe, expect, test } from "vitest";

import { judge, namespaceLabelsOf, type Search } from "../index.ts";
import { namespace, prometheus, renderObjects, serviceMonitor } from "../testing/sample-objects.ts";

const base: Search = {
  kind: "ServiceMonitor",
  by: { kind: "Prometheus", namespace: "monitoring", name: "main" },
  labels: [],
  namespaceLabels: [],
};
const namespaces = namespaceLabelsOf([namespace("shop", { team: "a" })]);
const monitor = serviceMonitor("shop/web", {}, { app: "web" });

function isSelected(search: Partial<Search>, id = "shop/web"): boolean {
  return judge(
    { ...base, ...search },
    { ...monitor, metadata: { ...monitor.metadata, namespace: id.split("/")[0] ?? "" } },
    namespaces,
  ).selected;
}

describe("the selector of labels", () => {
  test("selects nothing if there is none, and everything if it is empty", () => {
    expect(isSelected({ labels: undefined })).toBe(false);
    expect(isSelected({ labels: [] })).toBe(true);
  });

  test("must match in all its terms", () => {
    expect(
      isSelected({
        labels: [
          { key: "app", operator: "in", values: ["web"] },
          { key: "x", operator: "absent" },
        ],
      }),
    ).toBe(true);
    expect(
      isSelected({
        labels: [
          { key: "app", operator: "in", values: ["web"] },
          { key: "x", operator: "exists" },
        ],
      }),
    ).toBe(false);
  });
});

describe("the selector of namespaces", () => {
  test("means the own namespace if there is none, and all if it is empty", () => {
    expect(isSelected({ namespaceLabels: undefined })).toBe(false);
    expect(isSelected({ namespaceLabels: undefined }, "monitoring/web")).toBe(true);
    expect(isSelected({ namespaceLabels: [] }, "unknown/web")).toBe(true);
  });

  test("sees the labels of the namespace, and its name where that is all that is known", () => {
    expect(isSelected({ namespaceLabels: [{ key: "team", operator: "in", values: ["a"] }] })).toBe(true);
    expect(
      isSelected({ namespaceLabels: [{ key: "team", operator: "in", values: ["a"] }] }, "unknown/web"),
    ).toBe(false);
    const byName: Search["labels"] = [
      { key: "kubernetes.io/metadata.name", operator: "in", values: ["unknown"] },
    ];
    expect(isSelected({ namespaceLabels: byName }, "unknown/web")).toBe(true);
    // Labels that are not known are not taken for missing.
    expect(isSelected({ namespaceLabels: [{ key: "team", operator: "absent" }] }, "unknown/web")).toBe(false);
  });
});

test("a selector that is not set is remarked on, because it selects nothing", () => {
  const { explanation } = renderObjects(prometheus({ serviceMonitorSelector: undefined }), [monitor]);
  expect(explanation.notes).toContain(
    "spec.serviceMonitorSelector is not set, so no ServiceMonitor is selected; write {} to select all.",
  );
});

test("a selector that is not valid selects nothing, instead of what is left of it", () => {
  const broken = { matchExpressions: [{ key: "app", operator: "Like", values: ["w"] }] };
  for (const field of ["serviceMonitorSelector", "serviceMonitorNamespaceSelector"]) {
    const result = renderObjects(prometheus({ [field]: broken }), [monitor]);
    expect(result.jobs).toEqual([]);
    expect(result.rejected[0]?.problems[0]?.path).toBe(`spec.${field}.matchExpressions[0].operator`);
  }
});

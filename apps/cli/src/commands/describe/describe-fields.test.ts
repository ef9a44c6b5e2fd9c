import { Cluster, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { describeFields, describeTime } from "./describe-fields.ts";

const nowMs = Date.UTC(2026, 0, 2);

function described(
  kind: { schemas: (typeof Cluster)["schemas"] },
  part: "spec" | "status",
  value: object,
): string {
  return describeFields(value, { schema: kind.schemas.read.properties?.[part], nowMs }).join("\n");
}

describe("describeFields", () => {
  test("names fields as people would, and lines up their values", () => {
    const agent = { version: "1.0", lastSeenAt: "2026-01-01T23:59:00.000Z" };
    expect(described(Cluster, "status", { kubernetesVersion: "1.36", agent, clusterUid: "x" })).toBe(
      [
        "Kubernetes version:  1.36",
        "Agent:",
        "  Version:       1.0",
        "  Last seen at:  2026-01-01T23:59:00.000Z (60s ago)",
        "Cluster uid:         x",
      ].join("\n"),
    );
  });

  test("keeps the keys of maps as they are, and shows what is empty", () => {
    const spec = {
      definition: "web",
      placement: { clusters: ["a", "b"] },
      parameters: { replicaCount: "3" },
      prune: false,
    };
    expect(described(WorkloadInstance, "spec", spec)).toBe(
      [
        "Definition:  web",
        "Placement:",
        "  Clusters:  a, b",
        "Parameters:",
        "  replicaCount:  3",
        "Prune:       false",
      ].join("\n"),
    );
    expect(described(WorkloadInstance, "spec", { parameters: {}, namespace: "" })).toBe(
      "Parameters:  <none>\nNamespace:   <none>",
    );
  });

  test("puts objects of a list behind dashes", () => {
    const clusters = [
      { cluster: "a", ready: "True" },
      { cluster: "b", ready: "False", message: "No\u001B[2J." },
    ];
    expect(described(WorkloadInstance, "status", { clusters })).toBe(
      [
        "Clusters:",
        "  - Cluster:  a",
        "    Ready:    True",
        "  - Cluster:  b",
        "    Ready:    False",
        String.raw`    Message:  No\u001b[2J.`,
      ].join("\n"),
    );
  });

  test("cuts long texts, and says how much is missing", () => {
    const manifests = Array.from({ length: 30 }, (_, index) => `line: ${index}`).join("\n");
    const lines = described(WorkloadDefinition, "spec", { source: { inline: { manifests } } }).split("\n");
    expect(lines).toHaveLength(24);
    expect(lines.slice(0, 4)).toEqual(["Source:", "  Inline:", "    Manifests:", "      line: 0"]);
    expect(lines.at(-1)).toBe("      … 10 more lines");
  });
});

test("describeTime tells past from future", () => {
  expect(describeTime("2026-01-01T00:00:00Z", nowMs)).toBe("2026-01-01T00:00:00Z (24h ago)");
  expect(describeTime("2026-01-03T00:00:00Z", nowMs)).toBe("2026-01-03T00:00:00Z (in 24h)");
  expect(describeTime("\u001Bsoon", nowMs)).toBe(String.raw`\u001bsoon`);
});

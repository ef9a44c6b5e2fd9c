import { fieldsOf, kinds } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { runBowline } from "../testing/run-bowline.ts";
import { explain } from "./explain.ts";

const layout = { recursive: false, columns: 80 };

describe("explain", () => {
  test.each(kinds.map((kind) => [kind.kind, kind] as const))("knows every field of %s", (_, kind) => {
    for (const { path, description } of fieldsOf(kind.schemas.stored)) {
      const text = explain(`${kind.plural}.${path}`, layout);
      expect(text).toContain(`FIELD:  ${path} <`);
      expect(text.replaceAll(/\s+/g, " ")).toContain(description.replaceAll(/\s+/g, " "));
    }
  });

  test("shows a kind with its names, conditions and fields", () => {
    const text = explain("cl", layout);
    expect(text).toContain("KIND:   Cluster");
    expect(text).toContain("NAMES:\n  clusters, cluster, cl\n");
    expect(text).toContain("  AgentConnected\n    The agent in the cluster has a session open.");
    expect(text).toContain("  spec <object> (required)");
    expect(text).not.toContain("nodeGroups");
  });

  test("shows what a field may be and what it is if left out", () => {
    expect(explain("cluster.spec.kind.nodes", layout)).toBe(
      `KIND:   Cluster
FIELD:  spec.kind.nodes <integer>

DESCRIPTION:
  How many nodes, the control plane among them. Must be: 1 to 20. Default: 1.
`,
    );
  });

  test("shows everything below when asked", () => {
    const text = explain("cluster.spec", { ...layout, recursive: true });
    expect(text).toMatch(/\n {2}exec <object>\n {4}command <string> \(required\)\n/);
    expect(text).toContain("nodeGroups <list of objects> (required)\n      name <string> (required)");
  });

  test("keeps to the width of the terminal", () => {
    const lines = explain("workloadinstance", { recursive: false, columns: 60 }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});

test.each([
  ["clutser", "«clutser»; did you mean «cluster»?"],
  ["cluster.spec.regoin", 'A Cluster has no field "spec.regoin". Did you mean "cluster.spec.region"?'],
  ["cluster.region", 'A Cluster has no field "region". Did you mean "cluster.spec.region"?'],
])("%s is not there, and what was meant is said", async (path, message) => {
  const { code, error } = await runBowline(["explain", path]);
  expect(code).toBe(2);
  expect(error).toContain(message);
});

import { describe, expect, test } from "vitest";

import { AccessGrant } from "../kinds/access-grant.ts";
import { Cluster } from "../kinds/cluster.ts";
import { kinds } from "../kinds/index.ts";
import { minimalBodies, minimalSpecs, returnedObject } from "../testing/samples.ts";
import { columnsOf, rowOf } from "./table.ts";

const nowMs = Date.parse("2026-01-31T12:03:02Z");
const cluster = returnedObject(Cluster, { metadata: { name: "prod" }, spec: { region: "eu" } });
const ready = {
  type: "Ready",
  status: "True" as const,
  reason: "AgentConnected",
  message: "Line one\n\u001B[31mline two",
  lastTransitionTime: "2026-01-31T12:00:00Z",
  observedGeneration: 1,
};

describe("columnsOf", () => {
  test("begins with NAME, ends with AGE, and shows more when asked", () => {
    const headers = columnsOf(Cluster).map((column) => column.header);
    expect(headers).toEqual(["NAME", "PROVIDER", "READY", "AGENT", "VERSION", "AGE"]);
    expect(columnsOf(Cluster, { wide: true }).length).toBeGreaterThan(headers.length);
  });

  test.each(kinds)("of $kind fit into 80 characters with names of a usual length", (kind) => {
    const widths = columnsOf(kind).map((column) =>
      Math.max(column.header.length, column.header === "NAME" ? 20 : 8),
    );
    expect(widths.reduce((sum, width) => sum + width + 3, 0)).toBeLessThanOrEqual(80);
  });
});

describe("rowOf", () => {
  test("tells what nobody has found out from what is not set", () => {
    expect(rowOf(Cluster, cluster, { nowMs })).toEqual([
      "prod",
      "existing",
      "<unknown>",
      "<unknown>",
      "<none>",
      "3m2s",
    ]);
  });

  test("shows conditions by type, and messages on one line without anything a terminal would obey", () => {
    const row = rowOf(Cluster, { ...cluster, status: { conditions: [ready] } }, { nowMs, wide: true });
    expect(row).toContain("True");
    expect(row).toContain("AgentConnected");
    expect(row).toContain("Line one [31mline two");
  });

  test.each(minimalBodies)("has a cell for each column of a new %o", (kind, body) => {
    for (const wide of [false, true]) {
      const row = rowOf(kind, returnedObject(kind, body), { nowMs, wide });
      expect(row).toHaveLength(columnsOf(kind, { wide }).length);
      expect(row).not.toContain("");
    }
  });

  test("an object without a time of creation has an unknown age", () => {
    const broken = { ...cluster, metadata: { ...cluster.metadata, createdAt: "" } };
    expect(rowOf(Cluster, broken, { nowMs }).at(-1)).toBe("<unknown>");
  });
});

describe("a grant", () => {
  function cellOf(header: string, spec: object): string | undefined {
    const grant = returnedObject(AccessGrant, {
      metadata: { name: "g" },
      spec: { ...minimalSpecs["AccessGrant"], ...spec },
    });
    const index = columnsOf(AccessGrant).findIndex((column) => column.header === header);
    return rowOf(AccessGrant, grant, { nowMs })[index];
  }

  test.each([
    ["2026-01-31T13:03:02Z", "60m"],
    ["2026-01-31T12:03:02Z", "expired"],
    [undefined, "<none>"],
  ])("that ends at %s says %s", (expiresAt, cell) => {
    expect(cellOf("EXPIRES", { expiresAt })).toBe(cell);
  });

  test("lists its users", () => {
    expect(cellOf("USERS", { subjects: [{ user: "editor" }, { group: "ops" }, { user: "viewer" }] })).toBe(
      "editor,viewer",
    );
  });
});

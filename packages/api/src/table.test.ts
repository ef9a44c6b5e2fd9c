import { describe, expect, test } from "vitest";

import { AccessGrant } from "./kinds/access-grant.ts";
import { Cluster } from "./kinds/cluster.ts";
import { kinds } from "./kinds/kinds.ts";
import { WorkloadPlacement } from "./kinds/workload-placement.ts";
import { columnsOf, formatAge, rowOf } from "./table.ts";
import { minimalBodies, minimalSpecs, returnedObject } from "./testing/samples.ts";

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

  test("shows how many of how many", () => {
    const placement = returnedObject(WorkloadPlacement, {
      metadata: { name: "web" },
      spec: minimalSpecs["WorkloadPlacement"],
    });
    const counted = { ...placement.status, healthyCount: 3, resourceCount: 5 };
    expect(rowOf(WorkloadPlacement, placement, { nowMs })).toContain("0/0");
    expect(rowOf(WorkloadPlacement, { ...placement, status: counted }, { nowMs })).toContain("3/5");
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

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
const y = 365 * d;

// The expected texts are those of kubectl for the same durations.
test.each([
  [0, "0s"],
  [999, "0s"],
  [5 * s, "5s"],
  [119 * s, "119s"],
  [2 * m, "2m"],
  [3 * m + 2 * s, "3m2s"],
  [9 * m + 59 * s, "9m59s"],
  [10 * m + 59 * s, "10m"],
  [179 * m, "179m"],
  [3 * h, "3h"],
  [4 * h + 1 * m, "4h1m"],
  [7 * h + 59 * m, "7h59m"],
  [8 * h + 59 * m, "8h"],
  [47 * h, "47h"],
  [2 * d, "2d"],
  [2 * d + 1 * h, "2d1h"],
  [7 * d + 23 * h, "7d23h"],
  [8 * d + 23 * h, "8d"],
  [12 * d, "12d"],
  [729 * d, "729d"],
  [2 * y, "2y"],
  [2 * y + 1 * d, "2y1d"],
  [7 * y + 364 * d, "7y364d"],
  [8 * y + 364 * d, "8y"],
  [-1 * s, "0s"],
  [-2 * s, "<invalid>"],
  [Number.NaN, "<invalid>"],
])("%d ms is %s", (durationMs, text) => {
  expect(formatAge(durationMs)).toBe(text);
});

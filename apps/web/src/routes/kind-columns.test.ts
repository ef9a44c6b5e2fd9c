import { Gateway } from "@bowline/api";
import { expect, test } from "vitest";

import { selectRows } from "../ui/table-rows.ts";
import { kindColumns } from "./kind-columns.ts";

const nowMs = Date.parse("2026-11-19T10:00:00Z");

function made(name: string, createdAt: string): Gateway {
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Gateway",
    metadata: {
      name,
      id: name,
      resourceVersion: "1",
      generation: 1,
      createdAt,
      updatedAt: createdAt,
      labels: {},
      annotations: {},
      finalizers: [],
    },
    spec: {
      instance: name,
      hosts: [`${name}.example.com`],
      rules: [{ path: "/", service: "web", port: 80 }],
      tls: { mode: "terminate" },
      visibility: "public",
      probe: true,
    },
    status: { conditions: [], clusters: [], clusterCount: 0, readyCount: 0 },
  };
}

test("columns are those of the API without those that are left out, and what is not known is a dash", () => {
  const columns = kindColumns(Gateway, ["READY"]);
  const cells = columns.map(({ header, text }) => [
    header,
    text(made("shop", "2026-11-19T09:00:00Z"), nowMs),
  ]);
  expect(cells.map(([header]) => header)).not.toContain("READY");
  expect(Object.fromEntries(cells)).toMatchObject({ NAME: "shop", AGE: "60m", REASON: "–", MESSAGE: "–" });
});

test("by age, what is older comes first, whatever the time is", () => {
  const items = new Map(
    [made("new", "2026-11-19T09:59:00Z"), made("old", "2026-11-10T10:00:00Z")].map((item) => [
      item.metadata.id,
      item,
    ]),
  );
  const columns = kindColumns(Gateway);
  const sort = { header: "AGE", descending: false };
  expect(selectRows(items, { columns, filter: "", sort })).toEqual(["old", "new"]);
});

import { expect, test } from "vitest";

import type { ServerColumn, TableRow } from "../../kube/tables.ts";
import { rowHealth, tableColumns } from "./table-columns.ts";

const column = (name: string, type = "string", priority = 0): ServerColumn => ({
  name,
  type,
  priority,
  description: "",
});
const columns = [
  column("Name"),
  column("Ready"),
  column("Status"),
  column("Restarts", "integer"),
  column("Age", "date"),
  column("IP", "string", 1),
];
const pod: TableRow = {
  columns,
  cells: ["web-1", "1/1", "Running", 3, "5m", "192.0.2.1"],
  metadata: {
    uid: "u",
    name: "web-1",
    namespace: "shop",
    createdAt: "2026-01-01T00:00:00Z",
    isDeleting: false,
  },
};
const nowMs = Date.parse("2026-01-01T02:00:00Z");

const texts = (wide: boolean, namespaces: boolean): Record<string, string> =>
  Object.fromEntries(
    tableColumns(columns, { wide, namespaces })
      .filter(({ isExtra }) => isExtra !== true)
      .map(({ header, text }) => [header, text(pod, nowMs)]),
  );

test("columns are the server's, with the namespace where rows are of several, and ages as of now", () => {
  expect(texts(false, false)).toEqual({
    Name: "web-1",
    Ready: "1/1",
    Status: "Running",
    Restarts: "3",
    Age: "120m",
  });
  expect(Object.keys(texts(false, true))).toEqual([
    "Name",
    "Namespace",
    "Ready",
    "Status",
    "Restarts",
    "Age",
  ]);
  expect(texts(true, false)).toMatchObject({ IP: "192.0.2.1" });
});

test("numbers are sorted as numbers, and the youngest come first by age", () => {
  const sortKeys = Object.fromEntries(
    tableColumns(columns, { wide: false, namespaces: false }).map(({ header, sortKey }) => [
      header,
      sortKey?.(pod),
    ]),
  );
  expect(sortKeys).toMatchObject({
    Restarts: 3,
    Status: "Running",
    Age: -Date.parse("2026-01-01T00:00:00Z"),
  });
});

test.each([
  [["1/1", "Running"], "Healthy"],
  [["0/1", "Running"], "Degraded"],
  [["0/1", "Completed"], "Healthy"],
  [["0/1", "CrashLoopBackOff"], "Degraded"],
  [["0/1", "Init:ErrImagePull"], "Degraded"],
  [["0/1", "Init:1/2"], "Progressing"],
  [["0/1", "ContainerCreating"], "Progressing"],
  [["", "Ready"], "Healthy"],
  [["", "NotReady"], "Degraded"],
  [["", "Ready,SchedulingDisabled"], "Suspended"],
  [["", ""], undefined],
])("the cells %j mean %s", ([ready, status], health) => {
  expect(rowHealth({ ...pod, cells: ["web-1", ready, status] })).toBe(health);
});

test("an object that is being deleted is on its way, and a column of its health is believed", () => {
  expect(rowHealth({ ...pod, metadata: { ...pod.metadata, isDeleting: true } })).toBe("Progressing");
  const row = { ...pod, columns: [column("Name"), column("Health")] };
  expect(rowHealth({ ...row, cells: ["a", "Missing"] })).toBe("Missing");
  expect(rowHealth({ ...row, cells: ["a", "whatever"] })).toBeUndefined();
});

test("what is in trouble comes first by name, if one wants it to", () => {
  const [first] = tableColumns(columns, { wide: false, namespaces: true, troubleFirst: true });
  const keyOf = (name: string, status: string): string | number | undefined =>
    first?.sortKey?.({ ...pod, cells: [name, "1/1", status], metadata: { ...pod.metadata, name } });
  expect([keyOf("z", "Error"), keyOf("b", "Pending"), keyOf("a", "Running")]).toEqual(["0 z", "3 b", "5 a"]);
});

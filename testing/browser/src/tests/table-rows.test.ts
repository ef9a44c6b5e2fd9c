import { expect, test } from "vitest";

import { kubectlRows, pageRows } from "./table-rows.ts";

const printed = `NAMESPACE   NAME   STATUS    AGE   NOMINATED NODE   IMAGE
shop        b      Running   2d    <none>           a b
shop        a                3s                     c
`;

const rows = [
  { NAMESPACE: "shop", NAME: "a", STATUS: "", "NOMINATED NODE": "", IMAGE: "c" },
  { NAMESPACE: "shop", NAME: "b", STATUS: "Running", "NOMINATED NODE": "<none>", IMAGE: "a b" },
];

test("a table that kubectl prints is read by its columns", () => {
  expect(kubectlRows(printed)).toEqual(rows);
});

test("the same table on the page has the same rows", () => {
  const head = ["Name", "Namespace", "Status", "Nominated Node", "Image", "Age"];
  const cells = [
    ["b", "shop", "Running", "<none>", "a b", "2d"],
    ["a", "shop", "", "", "c", "4s"],
  ];
  expect(pageRows([head, ...cells])).toEqual(rows);
  expect(pageRows([head.slice(0, 2), ["b", "shop"]])).not.toEqual(rows);
});

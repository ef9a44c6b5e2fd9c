import { expect, test } from "vitest";

import { actingAs } from "./acting-as.ts";

const grants = [
  { name: "shop-only", user: "ada", groups: [], namespaces: ["shop"] },
  { name: "everywhere", user: "viewer", groups: ["readers"] },
];

test.each([
  ["shop", { user: "ada", grant: "shop-only" }],
  ["payments", { user: "viewer", grant: "everywhere" }],
])("in %s the first grant that covers it counts", (namespace, acting) => {
  expect(actingAs({ grants }, namespace)).toEqual(acting);
});

test.each([undefined, {}, { grants: "none" }, { grants: [null, { name: 1 }] }, { grants: [] }])(
  "%j tells nobody",
  (access) => {
    expect(actingAs(access, "shop")).toBeUndefined();
  },
);

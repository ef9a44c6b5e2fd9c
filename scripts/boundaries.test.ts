import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { findViolations } from "./boundaries.ts";

const fixture = fileURLToPath(new URL("fixtures/boundaries", import.meta.url));
const workspace = fileURLToPath(new URL("..", import.meta.url));

it("refuses every import of the fixture that goes up, sideways, in a circle or past a front door", () => {
  const found = findViolations(fixture).map(({ file, line, problem }) => `${file}:${line} ${problem}`);
  expect(found.toSorted()).toEqual([
    "apps/cli/src/eager.ts:2 imports packages/store; apps/cli may not (scripts/boundary-rules.ts)",
    "apps/unlisted:1 has no rule in scripts/boundary-rules.ts",
    "packages/core/src/above/top.ts:2 imports below/, which imports above/ as well; folders of one workspace import each other one way",
    "packages/core/src/below/corner.ts:2 imports beside/, which imports below/ as well; folders of one workspace import each other one way",
    "packages/core/src/beside/back.ts:2 imports above/, which imports beside/ as well; folders of one workspace import each other one way",
    "packages/core/src/upward.ts:2 imports packages/kube; packages/core may not (scripts/boundary-rules.ts)",
    "packages/kube/src/deep.ts:2 imports @bowline/core/src/error-codes.ts; only what @bowline/core exports may be used",
    "packages/kube/src/deep.ts:3 imports ../../core/src/backoff.ts, which lies outside packages/kube; import the package by its name",
    "packages/kube/src/listens.ts:4 calls listen(); libraries are handed their sockets by an app",
  ]);
});

it("finds nothing to refuse in the workspace itself", () => {
  expect(findViolations(workspace)).toEqual([]);
});

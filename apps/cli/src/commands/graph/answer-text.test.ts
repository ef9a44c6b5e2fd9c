import { expect, test } from "vitest";

import { nodeCells } from "./answer-text.ts";

test("a node is told with what is not known of it", () => {
  const pod = { cluster: "prod", kind: "Pod", namespace: "shop", name: "web" };
  const [, name] = nodeCells(pod);
  expect(nodeCells({ ...pod, dangling: true })).toEqual(["prod", `${name} (not observed)`]);
  expect(nodeCells({ ...pod, cut: 6_002 })).toEqual(["prod", `${name} (says too much: 6002 left out)`]);
  expect(nodeCells({ withheld: true })).toEqual(["<withheld>", "<withheld>"]);
});

import { expect, test } from "vitest";

import { writtenPart } from "./written-part.ts";

test("only what people write is to be edited", () => {
  const metadata = { name: "shop", labels: { env: "dev" }, annotations: {}, resourceVersion: "7", id: "x" };
  const spec = { hosts: ["shop.example.com"] };
  const object = { apiVersion: "bowline.dev/v1", kind: "Gateway", metadata, spec, status: { readyCount: 1 } };
  expect(writtenPart(object)).toEqual({
    apiVersion: "bowline.dev/v1",
    kind: "Gateway",
    metadata: { name: "shop", labels: { env: "dev" } },
    spec,
  });
  expect(writtenPart("nothing")).toEqual({});
});

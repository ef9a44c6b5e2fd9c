import { expect, test } from "vitest";

import { externalAddress } from "./external-link.tsx";

test.each([
  ["https://shop.example.com/", "https://shop.example.com/"],
  ["http://shop.example.com/a b", "http://shop.example.com/a%20b"],
  ["javascript:alert(1)", undefined],
  [" \u0001javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["https://user:password@example.com/", undefined],
  ["https://user@example.com/", undefined],
  ["//example.com", undefined],
  ["/ui/login", undefined],
  ["https://", undefined],
])("%j", (text, address) => {
  expect(externalAddress(text)).toBe(address);
});

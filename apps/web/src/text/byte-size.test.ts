import { expect, test } from "vitest";

import { byteSize } from "./byte-size.ts";

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1.0 KiB"],
  [1_536, "1.5 KiB"],
  [200 * 1_024, "200 KiB"],
  [5 * 1_024 ** 3, "5.0 GiB"],
  [3_000 * 1_024 ** 4, "3000 TiB"],
])("%i bytes are %s", (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});

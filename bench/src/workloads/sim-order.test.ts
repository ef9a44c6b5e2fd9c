import { expect, test } from "vitest";

import { eventMessage, writtenAtMs } from "./sim-order.ts";

test("a message says when it was written, and other messages say nothing", () => {
  expect(writtenAtMs(eventMessage(1_794_823_723_271.125))).toBe(1_794_823_723_271.125);
  expect(writtenAtMs("Started container app")).toBeUndefined();
  expect(writtenAtMs("The Cluster was seen, at noon")).toBeUndefined();
});

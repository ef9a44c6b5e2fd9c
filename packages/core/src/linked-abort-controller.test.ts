import { getEventListeners } from "node:events";

import { describe, expect, test } from "vitest";

import { LinkedAbortController } from "./linked-abort-controller.ts";

describe("LinkedAbortController", () => {
  test("aborts with the parent and its reason", () => {
    const parent = new AbortController();
    using child = new LinkedAbortController(parent.signal);
    expect(child.signal.aborted).toBe(false);
    parent.abort("enough");
    expect(child.signal.reason).toBe("enough");
  });

  test("is aborted from the start when the parent was", () => {
    using child = new LinkedAbortController(AbortSignal.abort("too late"));
    expect(child.signal.reason).toBe("too late");
  });

  test("aborts alone without the parent", () => {
    const parent = new AbortController();
    using child = new LinkedAbortController(parent.signal);
    child.abort();
    expect(parent.signal.aborted).toBe(false);
  });

  test("needs no parent", () => {
    using child = new LinkedAbortController();
    child.abort("enough");
    expect(child.signal.reason).toBe("enough");
  });

  test("lets go of the parent when disposed", () => {
    const parent = new AbortController();
    for (let round = 0; round < 3; round += 1) {
      using child = new LinkedAbortController(parent.signal);
      expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
      expect(child.signal.aborted).toBe(false);
    }
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });
});

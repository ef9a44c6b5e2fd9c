import { describe, expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";

class FirstKindError extends BowlineError {}
class SecondKindError extends BowlineError {}

describe("BowlineError", () => {
  test("takes retryable from the code table unless told otherwise", () => {
    expect(new BowlineError("Timeout", "Too slow").retryable).toBe(true);
    expect(new BowlineError("NotFound", "Gone").retryable).toBe(false);
    expect(new BowlineError("NotFound", "Not yet there", { retryable: true }).retryable).toBe(true);
  });

  test("keeps cause and details", () => {
    const cause = new Error("ECONNREFUSED");
    const error = new BowlineError("ConnectionFailed", "No way", { cause, details: { port: 6443 } });
    expect(error.cause).toBe(cause);
    expect(error.details).toEqual({ port: 6443 });
    expect("cause" in new BowlineError("Timeout", "Too slow")).toBe(false);
  });

  test("recognises an error of another copy of the module", async () => {
    const copyUrl = `${new URL("bowline-error.ts", import.meta.url).href}?copy`;
    const copy: unknown = await import(/* @vite-ignore */ copyUrl);
    const CopyOfBowlineError = (copy as { BowlineError: typeof BowlineError }).BowlineError;
    expect(CopyOfBowlineError).not.toBe(BowlineError);
    expect(new CopyOfBowlineError("Timeout", "Too slow")).toBeInstanceOf(BowlineError);
    expect(new Error("Too slow")).not.toBeInstanceOf(BowlineError);
  });

  test("tells subclasses apart", () => {
    const error = new FirstKindError("Timeout", "Too slow");
    expect(error).toBeInstanceOf(BowlineError);
    expect(error).toBeInstanceOf(FirstKindError);
    expect(error).not.toBeInstanceOf(SecondKindError);
  });

  describe("from", () => {
    test("passes its own through", () => {
      const error = new BowlineError("Timeout", "Too slow");
      expect(BowlineError.from(error)).toBe(error);
    });

    test("wraps what is not an error", () => {
      expect(BowlineError.from("broken")).toMatchObject({
        code: "Internal",
        message: "broken",
        cause: "broken",
      });
    });

    test("knows the reasons of the platform's abort signals", () => {
      expect(BowlineError.from(AbortSignal.abort().reason)).toMatchObject({ code: "Cancelled" });
      const timeout = new DOMException("The operation timed out", "TimeoutError");
      expect(BowlineError.from(timeout)).toMatchObject({ code: "Timeout", retryable: true, cause: timeout });
    });
  });
});

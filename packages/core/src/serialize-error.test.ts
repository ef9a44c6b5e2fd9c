import { describe, expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { serializeError } from "./serialize-error.ts";

describe("serializeError", () => {
  test("says of a BowlineError its code, message, details and chain of causes, without a stack", () => {
    const cause = new BowlineError("ConnectionFailed", "No way", { cause: "reset" });
    const error = new BowlineError("Timeout", "Too slow", { cause, details: { limitMs: 5 } });
    expect(serializeError(error)).toEqual({
      type: "BowlineError",
      code: "Timeout",
      message: "Too slow",
      retryable: true,
      details: { limitMs: 5 },
      cause: {
        type: "BowlineError",
        code: "ConnectionFailed",
        message: "No way",
        retryable: true,
        cause: { type: "string", message: "reset" },
      },
    });
  });

  test("keeps the stack where it helps: for bugs and foreign errors", () => {
    expect(serializeError(new BowlineError("Internal", "Oh")).stack).toContain("serialize-error.test.ts");
    expect(serializeError(new TypeError("Oh")).stack).toContain("serialize-error.test.ts");
  });

  test("takes no properties of foreign errors but a textual code", () => {
    const error = Object.assign(new Error("Refused"), {
      code: "ECONNREFUSED",
      headers: { a: 1 },
      request: {},
    });
    expect(Object.keys(serializeError(error))).toEqual(["type", "code", "message", "stack"]);
    expect(serializeError(new DOMException("Oh", "AbortError"))).not.toHaveProperty("code");
  });

  test("says only the type of a thrown object", () => {
    expect(serializeError({ token: "canary" })).toEqual({ type: "object", message: "[object Object]" });
  });

  test("ends a circle of causes and shortens an aggregate", () => {
    const error = new AggregateError(
      Array.from({ length: 1000 }, () => new Error("one of many")),
      "Many",
    );
    error.cause = error;
    const serialized = serializeError(error);
    expect(serialized.errors).toHaveLength(10);
    let length = 0;
    for (let next: typeof serialized | undefined = serialized; next !== undefined; next = next.cause)
      length += 1;
    expect(length).toBe(8);
  });
});

import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { statusError, type FailedAnswer } from "./status-error.ts";

function answer(status: number, body: unknown, headers: Record<string, string> = {}): FailedAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(text) };
}

const request = { action: "apply deployments/web", target: { server: "https://api:6443" } };

describe("field conflicts", () => {
  const conflict = (causes: object[]): BowlineError =>
    statusError(
      answer(409, {
        kind: "Status",
        reason: "Conflict",
        code: 409,
        message: "Apply failed with 3 conflicts",
        details: { causes },
      }),
      request,
    );

  it("name the other managers and their fields", () => {
    const error = conflict([
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "kubectl-edit" using apps/v1',
        field: ".spec.replicas",
      },
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "kubectl-edit" using apps/v1 at 2026-01-01T00:00:00Z',
        field: ".spec.paused",
      },
      {
        reason: "FieldManagerConflict",
        message: String.raw`conflict with "odd\"name" with subresource "scale"`,
        field: ".spec.minReadySeconds",
      },
    ]);
    expect(error.code).toBe("FieldConflict");
    expect(error.retryable).toBe(false);
    expect(error.message).toBe(
      'Could not apply deployments/web: "kubectl-edit" owns .spec.replicas, .spec.paused; ' +
        '"odd"name" owns .spec.minReadySeconds; leave these fields out, or apply with force to take them over.',
    );
    expect(error.details?.["conflicts"]).toEqual([
      { manager: "kubectl-edit", field: ".spec.replicas" },
      { manager: "kubectl-edit", field: ".spec.paused" },
      { manager: 'odd"name', field: ".spec.minReadySeconds", subresource: "scale" },
    ]);
  });

  it("stay readable when there are many, and when the server words them in a new way", () => {
    const many = Array.from({ length: 8 }, (_, index) => ({
      reason: "FieldManagerConflict",
      message: 'conflict with "a"',
      field: `.f${index}`,
    }));
    expect(conflict(many).message).toContain('"a" owns .f0, .f1, .f2, .f3, .f4 and 3 more;');
    expect(
      conflict([{ reason: "FieldManagerConflict", message: "?", field: ".x" }]).details?.["conflicts"],
    ).toEqual([{ manager: "another manager", field: ".x" }]);
  });
});

it.each([
  [400, "BadRequest", "BadRequest"],
  [405, "MethodNotAllowed", "MethodNotSupported"],
  [410, "Expired", "Expired"],
  [410, "Gone", "Expired"],
  [415, "UnsupportedMediaType", "BadRequest"],
  [422, "Invalid", "Invalid"],
  [429, "TooManyRequests", "TooManyRequests"],
  [500, "InternalError", "ServerError"],
  [500, "ServerTimeout", "ServerUnavailable"],
  [503, "ServiceUnavailable", "ServerUnavailable"],
  [504, "Timeout", "Timeout"],
  [418, "SomethingNew", "BadRequest"],
  [599, "SomethingNew", "ServerError"],
])("turns %i %s into %s", (status, reason, code) => {
  expect(statusError(answer(status, { kind: "Status", reason, message: "no" }), request).code).toBe(code);
});

it("understands the plain text that an API server sends outside its API", () => {
  const text = { "content-type": "text/plain; charset=utf-8" };
  const missing = statusError(answer(404, "404 page not found\n", text), request);
  expect(missing).toMatchObject({
    code: "NotFound",
    message: "Could not apply deployments/web: 404 page not found.",
  });
  const busy = statusError(
    answer(429, "Too many requests, please try again later.", { ...text, "retry-after": "1" }),
    request,
  );
  expect(busy).toMatchObject({
    code: "TooManyRequests",
    details: { retryAfterSeconds: 1 },
    message:
      "Could not apply deployments/web: https://api:6443 asks to slow down (Too many requests, please try again later).",
  });
});

it("takes HTML for another program, which may be a load balancer whose server is away", () => {
  const html = { "content-type": "text/html" };
  expect(statusError(answer(404, "<html>", html), request)).toMatchObject({
    code: "NotKubernetes",
    retryable: false,
  });
  expect(statusError(answer(502, "<html>", html), request)).toMatchObject({
    code: "NotKubernetes",
    retryable: true,
  });
  expect(statusError(answer(302, "", { location: "/login" }), request).code).toBe("NotKubernetes");
  expect(statusError(answer(403, "\n<!DOCTYPE html>", { "content-type": "text/plain" }), request).code).toBe(
    "NotKubernetes",
  );
});

it("makes one line of bounded length of whatever a server says", () => {
  const error = statusError(
    answer(422, { kind: "Status", reason: "Invalid", message: `a\n\u001b[31m${"b".repeat(5000)}` }),
    request,
  );
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(error.message.length).toBeLessThan(2200);
});

it.each(["valueOf", "constructor", "__proto__"])("knows no reason «%s»", (reason) => {
  expect(statusError(answer(400, { kind: "Status", reason }), request).code).toBe("BadRequest");
});

it("never throws, whatever a server sends", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 599 }),
      fc.oneof(fc.json(), fc.string(), statusSoup()),
      (status, body) => {
        const error = statusError(answer(status, body), request);
        expect(error).toBeInstanceOf(BowlineError);
        JSON.stringify(error.details);
      },
    ),
  );
});

function statusSoup(): fc.Arbitrary<string> {
  const anything = fc.jsonValue({ maxDepth: 2 });
  return fc
    .record({
      kind: fc.constant("Status"),
      reason: anything,
      message: anything,
      code: anything,
      details: fc.oneof(anything, fc.record({ causes: fc.oneof(anything, fc.array(anything)) })),
    })
    .map((value) => JSON.stringify(value));
}

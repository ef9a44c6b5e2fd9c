import { createValidator, ErrorBody } from "@bowline/api";
import { expect } from "vitest";

import type { WireAnswer } from "../wire-request.ts";

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The field that has to be named. */
  readonly field?: string | undefined;
  readonly message?: RegExp | undefined;
}

/** Checks that an answer is this refusal, in the one shape, with one sentence. `about` says what was asked for. */
export function expectRefusal(answer: WireAnswer, refusal: Refusal, about: string): void {
  const { status, text } = answer;
  const found = { about, status, text };
  expect({ ...found, problems: refusalProblems(answer, refusal) }).toEqual({ ...found, problems: [] });
}

const readError = createValidator(ErrorBody);

function refusalProblems(answer: WireAnswer, refusal: Refusal): string[] {
  const { status, headers, text } = answer;
  if (status !== refusal.status) return [`it should be ${refusal.status}`];
  const body = readError(JSON.parse(text));
  if (!body.ok) return ["it is no error body"];
  const { code, message, fields = [], requestId } = body.value.error;
  const { field } = refusal;
  const rules: readonly (readonly [holds: boolean, problem: string])[] = [
    [headers["content-type"] === "application/json; charset=utf-8", "it is of another type"],
    [headers["x-request-id"] === requestId, "its header has another request id"],
    [status !== 401 || headers["www-authenticate"] === "Bearer", "it does not say how to sign in"],
    [code === refusal.code, `its code should be ${refusal.code}`],
    [/^[A-Z][^\n]*[.?]$/u.test(message) && !/[.?!] [A-Z]/u.test(message), "its message is not one sentence"],
    [refusal.message?.test(message) ?? true, `its message should match ${refusal.message}`],
    [field === undefined || message.includes(field), `its message should name ${field}`],
    [field === undefined || fields.some(({ path }) => path === field), `its fields should have ${field}`],
  ];
  return rules.flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

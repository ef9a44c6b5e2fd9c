import { createValidator, ErrorBody } from "@bowline/api";

import type { WireAnswer, WireRequest } from "../wire-request.ts";
import { answerProblems, errorProblems } from "./answer-rules.ts";
import { rulesBeyondSchemas } from "./beyond-schemas.ts";
import type { Operation } from "./operations.ts";
import { verdictOn } from "./referee.ts";
import type { MutatedRequest } from "./mutation.ts";

/** What is wrong with the answer to a request; empty if nothing is. */
export function trialProblems(operation: Operation, mutated: MutatedRequest, answer: WireAnswer): string[] {
  const { request, expects } = mutated;
  if (answer.status >= 500) return ["the server is at fault"];
  if (expects === "documented") return answerProblems(operation, request, answer);
  if (expects === "judged") {
    return [...answerProblems(operation, request, answer), ...verdictProblems(operation, request, answer)];
  }
  const hasError = answer.status >= 400 && request.method !== "HEAD";
  return [
    ...(expects.includes(answer.status) ? [] : [`it should be one of ${expects.join(", ")}`]),
    ...(hasError ? errorProblems(answer) : []),
  ];
}

function verdictProblems(operation: Operation, request: WireRequest, answer: WireAnswer): string[] {
  const verdict = verdictOn(operation, request);
  if (verdict === "forbidden" && answer.status < 400) return ["it should be refused, by the document"];
  return verdict === "allowed" ? misunderstandings(operation, answer) : [];
}

/** Besides what is there already or is not, only rules that no schema can say may be in the way. */
const misfortunes: ReadonlySet<number> = new Set([404, 409, 410, 412]);
const readError = createValidator(ErrorBody);

function misunderstandings({ method }: Operation, { status, text }: WireAnswer): string[] {
  if (status < 400 || misfortunes.has(status)) return [];
  if (status !== 422) return ["it should be understood, by the document"];
  // What becomes of an object by a patch is in no schema.
  if (method === "PATCH") return [];
  const result = readError(JSON.parse(text));
  const { fields = [], message = "" } = result.ok ? result.value.error : {};
  if (message.startsWith("This idempotency key was used for another request")) return [];
  if (fields.length === 0) return ["it does not say which field is wrong"];
  return fields
    .filter((field) => !isBeyondSchemas(field))
    .map(({ path }) => `${path} is right, by the document`);
}

function isBeyondSchemas({ path, message }: { readonly path: string; readonly message: string }): boolean {
  // Whoever creates something has to tell its secrets; whoever changes it need not.
  const isSecret = path === "spec.data" && message === "is required";
  return isSecret || rulesBeyondSchemas.some((rule) => rule.test(message));
}

import { createValidator, ErrorBody } from "@bowline/api";
import { schemaCheck } from "@bowline/api/testing";

import type { WireAnswer, WireRequest } from "../wire-request.ts";
import type { DocumentedAnswer, Operation } from "./operations.ts";

/** What is wrong with an answer, by what the document says of the operation; empty if nothing is. */
export function answerProblems(operation: Operation, request: WireRequest, answer: WireAnswer): string[] {
  const documented = operation.answers.get(answer.status);
  if (documented === undefined) return [`${answer.status} is not among the answers of ${operation.id}`];
  return [
    ...headerProblems(documented, answer),
    ...(request.method === "HEAD" ? [] : bodyProblems(documented, answer)),
    ...(answer.status >= 400 && documented.bodies.has("application/json") ? errorProblems(answer) : []),
  ];
}

function headerProblems({ headers }: DocumentedAnswer, answer: WireAnswer): string[] {
  const wrong = [...headers].flatMap(([name, schema]) => {
    const given = answer.headers[name];
    if (given === undefined) return [];
    const value = schema.type === "integer" ? Number(given) : given;
    return schemaCheck(schema)(value).map((problem) => `${name}: ${problem}`);
  });
  const hasId = /^[\w.~-]{1,64}$/u.test(String(answer.headers["x-request-id"]));
  return hasId ? wrong : [...wrong, "it has no X-Request-Id"];
}

function bodyProblems({ bodies }: DocumentedAnswer, { mediaType, text }: WireAnswer): string[] {
  if (bodies.size === 0) return text === "" ? [] : ["it has a body"];
  const schema = bodies.get(mediaType);
  if (schema === undefined) return [`it is of the type ${mediaType}`];
  if (mediaType === "text/plain") return [];
  const texts = mediaType === "text/event-stream" ? eventsIn(text) : [text];
  return texts.flatMap((json) => schemaCheck(schema)(JSON.parse(json)));
}

function eventsIn(stream: string): string[] {
  return stream.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []));
}

const readError = createValidator(ErrorBody);

/** What is wrong with an error, wherever it comes from. */
export function errorProblems({ text, headers }: WireAnswer): string[] {
  const result = readError(JSON.parse(text));
  if (!result.ok) return result.problems.map(({ path, message }) => `${path} ${message}`);
  const { message, requestId, fields = [] } = result.value.error;
  const [first] = fields;
  return [
    ...(/^[A-Z][^\n]*[.?]$/u.test(message) ? [] : ["its message is no sentence"]),
    ...(requestId === headers["x-request-id"] ? [] : ["its requestId is not the one in the header"]),
    ...(first === undefined || message.includes(first.path) ? [] : ["its message does not name the field"]),
  ];
}

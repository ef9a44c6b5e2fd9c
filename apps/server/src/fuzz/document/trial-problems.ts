import { createValidator, ErrorBody } from "@bowline/api";
import { schemaCheck } from "@bowline/api/testing";

import type { WireAnswer, WireRequest } from "../wire-request.ts";
import type { Operation, DocumentedAnswer } from "./operations.ts";
import { verdictOn } from "./referee.ts";
import type { MutatedRequest } from "./mutation.ts";

/** Problems of the answer to a request; empty if there are none. */
export function trialProblems(operation: Operation, mutated: MutatedRequest, answer: WireAnswer): string[] {
  const { request, expects } = mutated;
  if (answer.status >= 500 && !isOffline(answer)) return ["the server is at fault"];
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
/** Their bodies hold a secret, which a document can say the form of and nobody can guess. */
const takesSecret: ReadonlySet<string> = new Set(["redeemSignInCode"]);
const readError = createValidator(ErrorBody);

function misunderstandings({ id, method, answers }: Operation, answer: WireAnswer): string[] {
  const { status, text } = answer;
  if (status < 400 || misfortunes.has(status) || isOffline(answer)) return [];
  // An upgrade, which no request here asks for, is nothing that the document can require.
  if (answers.has(101) && status === 400) return [];
  if (status === 401 && takesSecret.has(id)) return [];
  if (status !== 422) return ["it should be understood, by the document"];
  // The result of a patch is in no schema.
  if (method === "PATCH") return [];
  const result = readError(JSON.parse(text));
  const { fields = [], message = "" } = result.ok ? result.value.error : {};
  if (message.startsWith("This idempotency key was used for another request")) return [];
  if (fields.length === 0) return ["it does not say which field is wrong"];
  return fields
    .filter((field) => !isBeyondSchemas(field))
    .map(({ path }) => `${path} is right, by the document`);
}

/** None of the clusters has an agent. */
function isOffline({ status, text }: WireAnswer): boolean {
  const result = status === 503 ? readError(JSON.parse(text)) : undefined;
  return result?.ok === true && result.value.error.code === "AgentOffline";
}

function isBeyondSchemas({ path, message }: { readonly path: string; readonly message: string }): boolean {
  // Secrets have to be told by those who create something, not by those who change it.
  const isSecret = ["spec.data", "spec.webhook.secret"].includes(path) && message === "is required";
  // Which parameters there are depends on the question.
  const isOfQuestion = path.startsWith("spec.parameters.");
  return isSecret || isOfQuestion || rulesBeyondSchemas.some((rule) => rule.test(message));
}

/**
 * Everything that is refused with 422 although it follows the document: rules that JSON Schema cannot say. A request
 * that is refused for another reason than these is one that the document should have told about.
 */
const rulesBeyondSchemas: readonly RegExp[] = [
  // Between fields
  /^is only allowed when spec\.(?:provider|policy) is /u,
  /^is required when spec\.provider is /u,
  /^must be single or all when spec\.provider is /u,
  /^may be manual only when spec\.policy is single$/u,
  /^must be at least spec\.failover\.after$/u,
  /^must be \S+ or a name that it is below$/u,
  /^must be at most (?:maxSize|spec\.maxNodes), which is /u,
  /^must be between minSize and maxSize, /u,
  /^may have \d+ machines together, which is more than spec\.maxNodes, /u,
  /^must have (?:either template or topology|both vpcId and subnetIds, or neither)$/u,
  /^is only allowed (?:with spec\.expiresAt|without vpcId)$/u,
  /^has the same path and method as a rule before it, /u,
  /^must be one when spec\.tls\.mode is passthrough$/u,
  /^must have (?:nothing else|the path \/ and no methods) when spec\.tls\.mode is /u,
  /^is (?:required|only allowed) when spec\.tls\.certificate is /u,
  /^must (?:not )?be empty with the operator /u,
  /^must not be set for a parameter that is required$/u,
  /^has the same \w+ as an item before it$/u,
  /^is required for a Credential of type /u,
  /^does not belong to a Credential of type /u,
  /^is required when spec\.type changes$/u,
  /^is required beside (?:clientCert|clientKey|externalId|sessionTags)$/u,
  /^is required with the rest of the key$/u,
  /^must name a tag when verify\.mode is tag$/u,
  /^is only for sources in git$/u,
  /^(?:needs (?:from, a path,|a value) to|has no from when it is to|moves something into itself)/u,
  // Of texts
  /^must be (?:the ARN of a role|2 to 1224 letters, digits and any of|tags) /u,
  /^needs a path such as \/spec\/replicas, /u,
  /^must be whole seconds, from 1s to \d+h$/u,
  /^must be (?:at most|between 1s and) 720h$/u,
  /^must be an address that starts with https/u,
  /^must not contain a (?:password|user name); /u,
  /^is not a name that git allows$/u,
  /^must be relative to the root of the repository$/u,
  /^must not lead out of the repository$/u,
  /^must be at (?:least 10s|most 24h)$/u,
  /^has a problem: /u,
  /^must be (?:a whole number such as 3|a number such as 0\.5|true or false)$/u,
  /^must not contain NUL characters$/u,
  /^(?:is not a valid key: it )?must be valid Unicode$/u,
  /^is not allowed as a key$/u,
  // Between the request and what is there
  /^must be the name in the address$/u,
  /^cannot be changed/u,
  /^must be the name of a \w+; there is no "/u,
  /^must not lead back to the instance itself: /u,
  /^is taken(?: with another tls, which has to be the same for all of a host)?: /u,
];

/** Problems of an answer, by what the document says of the operation; empty if there are none. */
function answerProblems(operation: Operation, request: WireRequest, answer: WireAnswer): string[] {
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
  if (mediaType !== "text/event-stream" && !mediaType.endsWith("json")) return [];
  const texts = mediaType === "text/event-stream" ? eventsIn(text) : [text];
  return texts.flatMap((json) => schemaCheck(schema)(JSON.parse(json)));
}

function eventsIn(stream: string): string[] {
  return stream.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []));
}

/** Problems of an error, wherever it comes from. */
function errorProblems({ text, headers }: WireAnswer): string[] {
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

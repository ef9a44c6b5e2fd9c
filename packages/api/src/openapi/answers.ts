/** The answers that operations share. Every error has the same body, so a client needs one way to read them all. */
const errorAnswers: Readonly<Record<string, string>> = {
  "400": "The request cannot be understood: broken JSON, an unknown parameter, a bad selector or cursor.",
  "401": "No token, or one that is unknown, expired or revoked.",
  "403": "The role does not allow this.",
  "404": "There is no such object.",
  "408": "The request took too long to arrive.",
  "409":
    "There is such an object already, somebody else has written it meanwhile, or others still refer to it.",
  "410": "The resourceVersion, the cursor or the time is too old; begin again with a list.",
  "412": "The object is not the one If-Match asks for.",
  "413": "The body is too large.",
  "414": "The address is too long.",
  "415": "The body is of a type that this operation does not take.",
  "422": "The object is not valid; `fields` says what is wrong with it.",
  "429": "Too many requests; Retry-After says when to try again.",
  "431": "The headers are too large.",
  "502": "The way to the cluster broke.",
  "503": "The server cannot answer now; Retry-After says when to try again.",
  "504": "The cluster did not answer in time.",
};

/** Answers that any request can get, before anybody looks at what it wants. */
const anyRequest = ["400", "408", "414", "429", "431"];
/** Answers that a request can get that needs a token. */
const withToken = ["401", "403", "503"];
/** Answers that a request can get that has a body, also when it should have none. */
const withBody = ["413", "415"];

/** References to the answers of these statuses, and of those that any request with a token can have. */
export function errorReferences(...statuses: readonly string[]): Record<string, object> {
  return references(...anyRequest, ...withToken, ...statuses);
}

/** The same where a body is read, whether or not it is asked for. */
export function writeErrorReferences(...statuses: readonly string[]): Record<string, object> {
  return errorReferences(...withBody, ...statuses);
}

/** The same where nobody needs a token. */
export function openErrorReferences(): Record<string, object> {
  return references(...anyRequest);
}

function references(...statuses: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    statuses.toSorted().map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

export function errorComponents(): Record<string, object> {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(
    Object.entries(errorAnswers).map(([status, description]) => [
      `Error${status}`,
      { description, headers: headersOf(status), content },
    ]),
  );
}

function headersOf(status: string): Record<string, object> {
  const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
  const waits = status === "429" || status === "503";
  return waits ? { ...requestId, "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : requestId;
}

/** `other` is the schema of what some parameters make it answer instead. */
export function jsonAnswer(
  description: string,
  schemaName: string,
  headers: readonly string[] = [],
  other?: string,
): object {
  const schema = { $ref: `#/components/schemas/${schemaName}` };
  const either = { anyOf: [schema, { $ref: `#/components/schemas/${other}` }] };
  return {
    description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    },
    content: { "application/json": { schema: other === undefined ? schema : either } },
  };
}

export function textAnswer(description: string): object {
  return { description, content: { "text/plain": { schema: { type: "string" } } } };
}

import { BowlineError, type ErrorCode } from "@bowline/core";
import { parseJson } from "../json-fields.ts";
import { retryAfterSeconds, type TransportTarget } from "../transport.ts";
import { describeConflicts, fieldConflicts, parseStatus, type KubeStatus } from "./kube-status.ts";

/** A finished answer of 400 or more. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly attempts?: number | undefined;
}

export interface FailedRequest {
  /** The attempt, as it follows "Could not": `get pods/web in namespace "shop"`. */
  readonly action: string;
  readonly target?: TransportTarget | undefined;
}

const codeByReason: ReadonlyMap<string, ErrorCode> = new Map([
  ["Unauthorized", "Unauthorized"],
  ["Forbidden", "Forbidden"],
  ["NotFound", "NotFound"],
  ["AlreadyExists", "AlreadyExists"],
  ["Conflict", "Conflict"],
  ["Gone", "Expired"],
  ["Expired", "Expired"],
  ["Invalid", "Invalid"],
  ["ServerTimeout", "ServerUnavailable"],
  ["Timeout", "Timeout"],
  ["TooManyRequests", "TooManyRequests"],
  ["BadRequest", "BadRequest"],
  ["MethodNotAllowed", "MethodNotSupported"],
  ["InternalError", "ServerError"],
  ["ServiceUnavailable", "ServerUnavailable"],
]);

const codeByHttpStatus: Readonly<Record<number, ErrorCode>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotSupported",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  502: "ServerUnavailable",
  503: "ServerUnavailable",
  504: "Timeout",
};

/** Longer texts (the 422 of a big object) say no more to a person, and would fill logs. */
const maxMessageLength = 2000;

/** Turns an answer that is not a success into the one error a caller has to understand. */
export function statusError(answer: FailedAnswer, request: FailedRequest): BowlineError {
  // An API server redirects nobody: a login page does.
  if (answer.status < 400 || isHtml(answer)) return notKubernetes(answer, request.target);
  const status = parseStatus(parseJson(answer.body)?.value) ?? {
    causes: [],
    message: plainText(answer.body),
  };
  return errorOfStatus(status, { ...answer, ...request });
}

/** The same for a `Status` that came without an HTTP answer of its own, such as the ERROR event of a watch. */
export function errorOfStatus(
  status: KubeStatus,
  context: FailedRequest & Partial<Omit<FailedAnswer, "body">>,
): BowlineError {
  const httpStatus = context.status ?? status.code ?? 500;
  const conflicts = fieldConflicts(status.causes);
  const code = conflicts.length > 0 ? "FieldConflict" : codeOf(status, httpStatus);
  const told = tidy(status.message) ?? `the server answered ${httpStatus}`;
  const said = conflicts.length > 0 ? describeConflicts(conflicts) : told;
  return new BowlineError(code, sentence(code, said, context), {
    details: {
      httpStatus,
      reason: status.reason,
      kind: status.kind,
      name: status.name,
      causes: status.causes,
      continueToken: status.continueToken,
      retryAfterSeconds: status.retryAfterSeconds ?? retryAfterSeconds(context.headers ?? {}),
      server: context.target?.server,
      ...(context.attempts === undefined ? {} : { attempts: context.attempts }),
      ...(conflicts.length === 0 ? {} : { conflicts }),
    },
  });
}

/** An answer of another program: a login page, a load balancer, a wrong port. */
export function notKubernetes(
  answer: Pick<FailedAnswer, "status" | "headers">,
  target: TransportTarget | undefined,
): BowlineError {
  const type = answer.headers["content-type"]?.split(";")[0] ?? "something";
  return new BowlineError(
    "NotKubernetes",
    `${target?.server ?? "The server"} answered ${answer.status} with ${type} instead of Kubernetes JSON; ` +
      "check the server URL, and whether a proxy, a login page or a load balancer answers in its place.",
    // A load balancer says so with a 5xx while the API server behind it is away.
    { details: { httpStatus: answer.status, contentType: type }, retryable: answer.status >= 500 },
  );
}

/** How long the server that caused an error asked to be left alone; 0 where it did not. */
export function retryAfterMs(error: BowlineError): number {
  const seconds = error.details?.["retryAfterSeconds"];
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

function codeOf(status: KubeStatus, httpStatus: number): ErrorCode {
  const byReason = status.reason === undefined ? undefined : codeByReason.get(status.reason);
  return byReason ?? codeByHttpStatus[httpStatus] ?? (httpStatus >= 500 ? "ServerError" : "BadRequest");
}

function sentence(
  code: ErrorCode,
  said: string,
  { action, target, attempts }: FailedRequest & Pick<FailedAnswer, "attempts">,
): string {
  const server = target?.server ?? "the API server";
  const hints: Partial<Record<ErrorCode, string>> = {
    Unauthorized: `${server} does not accept the credentials${target?.identity === undefined ? "" : ` of ${target.identity}`}; check that the token or certificate is valid and has not expired`,
    Forbidden: `${server} says: ${said}; grant it with a Role or ClusterRole, or use other credentials`,
    FieldConflict: `${said}; leave these fields out, or apply with force to take them over`,
    TooManyRequests: `${server} asks to slow down (${said})`,
  };
  return `Could not ${action}: ${hints[code] ?? said}${tries(attempts)}.`;
}

function tries(attempts: number | undefined): string {
  return attempts === undefined || attempts < 2 ? "" : `, after ${attempts} tries`;
}

function isHtml(answer: FailedAnswer): boolean {
  return (
    (answer.headers["content-type"] ?? "").includes("html") || /^\s*<(!doctype|html)/i.test(head(answer.body))
  );
}

function plainText(body: Buffer): string | undefined {
  return /^\s*[{[]/.test(head(body)) ? undefined : body.toString("utf8", 0, maxMessageLength);
}

function head(body: Buffer): string {
  return body.toString("latin1", 0, 64);
}

function tidy(message: string | undefined): string | undefined {
  const text =
    message
      ?.replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .replace(/\.$/, "") ?? "";
  if (text === "") return undefined;
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

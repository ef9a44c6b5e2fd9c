import { errorReferences, jsonAnswer, textAnswer } from "./answers.ts";
import { parameters } from "./parameters.ts";

/** The addresses that belong to no kind. */
export function systemPaths(): Record<string, object> {
  return {
    "/api/v1/audit": {
      get: recordsOperation({
        operationId: "listAudit",
        summary: "List what was done, newest first",
        list: "AuditRecordList",
        filters: {
          user: "Only by this user.",
          kind: "Only on this kind.",
          name: "Only on the object of this name.",
        },
      }),
    },
    "/api/v1/events": {
      get: recordsOperation({
        operationId: "listEvents",
        summary: "List what happened to objects, newest first",
        list: "EventRecordList",
        filters: {
          kind: "Only on this kind.",
          name: "Only on the object of this name.",
          type: "Normal or Warning.",
        },
      }),
    },
    "/healthz": { get: open("healthz", "Whether the process lives", textAnswer("It does.")) },
    "/readyz": {
      get: {
        ...open("readyz", "Whether requests can be served", textAnswer("They can.")),
        responses: {
          "200": textAnswer("They can."),
          "503": textAnswer("They cannot; one line for each reason."),
        },
      },
    },
    "/metrics": {
      get: open("metrics", "Metrics in the text format of Prometheus", textAnswer("The metrics.")),
    },
    "/version": { get: open("version", "The version of the server", jsonAnswer("The version.", "Version")) },
    "/openapi.json": {
      get: open("openapi", "This document", {
        description: "This document.",
        content: { "application/json": { schema: { type: "object" } } },
      }),
    },
  };
}

/** Needs no token. */
function open(operationId: string, summary: string, answer: object): object {
  return { operationId, summary, tags: ["Server"], security: [], responses: { "200": answer } };
}

interface RecordsOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly list: string;
  readonly filters: Readonly<Record<string, string>>;
}

function recordsOperation({ operationId, summary, list, filters }: RecordsOperation): object {
  const filterParameters = Object.entries(filters).map(([name, description]) => ({
    name,
    in: "query",
    description,
    schema: { type: "string", maxLength: 253 },
  }));
  return {
    operationId,
    summary,
    tags: ["Server"],
    parameters: [...parameters("Limit", "Cursor"), ...filterParameters],
    responses: { "200": jsonAnswer("A page.", list), ...errorReferences("410") },
  };
}

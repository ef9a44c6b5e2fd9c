import type { Kind } from "../kind/kind.ts";
import { errorReferences, jsonAnswer, writeErrorReferences } from "./answers.ts";
import { parameters } from "./parameters.ts";

/** The addresses of a kind. They are the same for every kind that clients write: whoever knows one knows all. */
export function kindPaths(kind: Kind): Record<string, object> {
  const collection = `/api/v1/${kind.plural}`;
  if (kind.serverMade) {
    return {
      [collection]: { get: listOperation(kind) },
      [`${collection}/{name}`]: {
        parameters: parameters("Name"),
        get: getOperation(kind),
        delete: deleteOperation(kind),
      },
    };
  }
  return {
    [collection]: { get: listOperation(kind), post: createOperation(kind) },
    [`${collection}/{name}`]: {
      parameters: parameters("Name"),
      get: getOperation(kind),
      put: applyOperation(kind),
      patch: patchOperation(kind),
      delete: deleteOperation(kind),
    },
    [`${collection}/{name}/status`]: {
      parameters: parameters("Name"),
      get: {
        ...getOperation(kind),
        operationId: `get${kind.kind}Status`,
        summary: `Get the status of a ${kind.kind}`,
      },
      put: statusOperation(kind),
    },
  };
}

function listOperation(kind: Kind): object {
  const names = kind.filterable.map((field) => `\`${field.text}\``).join(", ");
  return {
    operationId: `list${kind.kind}`,
    summary: `List or watch ${kind.plural}`,
    description: `Fields to select by: ${names}.`,
    tags: [kind.kind],
    parameters: parameters(
      "LabelSelector",
      "FieldSelector",
      "Limit",
      "Cursor",
      "Watch",
      "ResourceVersion",
      "LastEventId",
    ),
    responses: {
      "200": {
        description: "A page; with watch, a stream of events, each with the resourceVersion as its id.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: {
          "application/json": { schema: { $ref: `#/components/schemas/${kind.kind}List` } },
          "text/event-stream": { schema: { $ref: `#/components/schemas/${kind.kind}WatchEvent` } },
        },
      },
      ...errorReferences("410"),
    },
  };
}

function createOperation(kind: Kind): object {
  return {
    operationId: `create${kind.kind}`,
    summary: `Create a ${kind.kind}`,
    tags: [kind.kind],
    parameters: parameters("DryRun", "IdempotencyKey"),
    requestBody: jsonBody(`${kind.kind}Write`),
    responses: {
      "201": jsonAnswer("Created.", `${kind.kind}Created`, ["ETag", "Location", "Bowline-Outcome"]),
      ...writeErrorReferences("409", "422"),
    },
  };
}

function getOperation(kind: Kind): object {
  return {
    operationId: `get${kind.kind}`,
    summary: `Get a ${kind.kind}`,
    tags: [kind.kind],
    parameters: parameters("IfNoneMatch"),
    responses: {
      "200": jsonAnswer("The object.", kind.kind, ["ETag"]),
      "304": { description: "The object still has the ETag of If-None-Match." },
      ...errorReferences("404"),
    },
  };
}

function applyOperation(kind: Kind): object {
  return {
    operationId: `apply${kind.kind}`,
    summary: `Create or update a ${kind.kind}`,
    description:
      "The body is the whole object as it should be. What an object says that was read before is accepted: what belongs to the server is ignored, and a resourceVersion makes the write conditional. If nothing would change, nothing is written.",
    tags: [kind.kind],
    parameters: parameters("DryRun", "Override", "IfMatch", "IfNoneMatch"),
    requestBody: jsonBody(`${kind.kind}Write`),
    responses: {
      "200": jsonAnswer("Updated, or as it was.", kind.kind, ["ETag", "Bowline-Outcome"]),
      "201": jsonAnswer("Created.", `${kind.kind}Created`, ["ETag", "Location", "Bowline-Outcome"]),
      ...writeErrorReferences("409", "412", "422"),
    },
  };
}

function patchOperation(kind: Kind): object {
  return {
    operationId: `patch${kind.kind}`,
    summary: `Change fields of a ${kind.kind}`,
    description:
      "A JSON merge patch (RFC 7396): fields that are there are set, fields that are null are taken out.",
    tags: [kind.kind],
    parameters: parameters("DryRun", "Override", "IfMatch"),
    requestBody: {
      required: true,
      content: {
        "application/merge-patch+json": { schema: { type: "object" } },
        "application/json": { schema: { type: "object" } },
      },
    },
    responses: {
      "200": jsonAnswer("The object after the patch.", kind.kind, ["ETag", "Bowline-Outcome"]),
      ...writeErrorReferences("404", "409", "412", "422"),
    },
  };
}

function deleteOperation(kind: Kind): object {
  return {
    operationId: `delete${kind.kind}`,
    summary: `Delete a ${kind.kind}`,
    description:
      "Without cascade, an object that others refer to is not deleted: the answer lists them in `blockedBy`. A dry run with cascade answers with the plan of what would be done.",
    tags: [kind.kind],
    parameters: parameters("DryRun", "Cascade", "Override", "IfMatch"),
    responses: {
      "200": jsonAnswer(
        "Deleted; the object as it was last.",
        kind.kind,
        ["Bowline-Outcome"],
        "DeletionPlan",
      ),
      "202": jsonAnswer("Marked as deleted; it goes when its finalizers are done.", kind.kind, [
        "ETag",
        "Bowline-Outcome",
      ]),
      ...writeErrorReferences("404", "409", "412"),
    },
  };
}

function statusOperation(kind: Kind): object {
  return {
    operationId: `update${kind.kind}Status`,
    summary: `Write the status of a ${kind.kind}`,
    description: "For controllers. Changes neither spec nor generation, and so never makes anybody act.",
    tags: [kind.kind],
    parameters: parameters("DryRun", "IfMatch"),
    requestBody: jsonBody(`${kind.kind}StatusWrite`),
    responses: {
      "200": jsonAnswer("The object with its new status.", kind.kind, ["ETag", "Bowline-Outcome"]),
      ...writeErrorReferences("404", "409", "412", "422"),
    },
  };
}

function jsonBody(schemaName: string): object {
  return {
    required: true,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${schemaName}` } } },
  };
}

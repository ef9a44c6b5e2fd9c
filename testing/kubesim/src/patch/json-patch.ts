import { isRecord } from "@bowline/core";

import { deepEqual, isList, type JsonObject } from "../schema/json-value.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { rejectedPatch, unreadablePatch } from "./patch-error.ts";
import { addAt, removeAt, replaceAt, valueAtPointer } from "./json-pointer.ts";

/** The real server's limits: a small patch must not be able to grow an object without bound. */
const maxOperations = 10_000;
const maxCopiedBytes = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: unknown;
}

/** JSON patch (RFC 6902), with the leniencies of the real server: `replace` of a missing field adds it. */
export function applyJsonPatch(target: JsonObject, operations: unknown): JsonObject {
  let document: unknown = target;
  let copiedBytes = 0;
  for (const operation of decode(operations)) {
    if (operation.op === "copy") {
      copiedBytes += JSON.stringify(valueAtPointer(document, operation.from))?.length ?? 0;
      if (copiedBytes > maxCopiedBytes) throw rejectedPatch();
    }
    document = applyOperation(document, operation);
  }
  if (!isRecord(document)) throw rejectedPatch();
  return document;
}

function applyOperation(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case "add":
      return addAt(document, path, value);
    case "remove":
      return removeAt(document, path);
    case "replace":
      return replaceAt(document, path, value);
    case "move":
      return addAt(removeAt(document, from), path, valueAtPointer(document, from));
    case "copy":
      return addAt(document, path, valueAtPointer(document, from));
    case "test":
      if (!deepEqual(valueAtPointer(document, path) ?? null, value ?? null)) throw rejectedPatch();
      return document;
    default:
      throw rejectedPatch();
  }
}

function decode(operations: unknown): Operation[] {
  if (!isList(operations)) {
    throw unreadablePatch(
      `json: cannot unmarshal ${typeof operations} into Go value of type jsonpatch.Patch`,
    );
  }
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw new SimStatusError({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `Request entity too large: ${message}`,
    });
  }
  return operations.map((operation) => {
    if (!isRecord(operation)) throw unreadablePatch("every operation of a JSON patch must be an object");
    return {
      op: text(operation["op"]),
      path: text(operation["path"]),
      from: text(operation["from"]),
      value: operation["value"],
    };
  });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

import { changeTypes } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";

import type { ChangeEvent } from "../client.ts";
import { errorOf, isErrorDetail } from "../http/answer.ts";

/**
 * The data of one server-sent event. An event of type ERROR is thrown, because it ends the watch. Types that a newer
 * server may have are skipped.
 */
export function readEvent<Item>(data: string): ChangeEvent<Item> | undefined {
  const event = parse(data);
  if (isKnown<Item>(event)) return event;
  if (event["type"] === "ERROR" && isErrorDetail(event["error"])) throw errorOf(event["error"]);
  if (isOneOfOurs(event["type"])) throw invalid();
  return undefined;
}

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw invalid(cause);
  }
  throw invalid();
}

function isKnown<Item>(event: Record<string, unknown>): event is ChangeEvent<Item> & Record<string, unknown> {
  const { type, object, metadata } = event;
  if (changeTypes.some((change) => change === type)) return isRecord(object);
  return type === "BOOKMARK" && isRecord(metadata) && typeof metadata["resourceVersion"] === "string";
}

function isOneOfOurs(type: unknown): boolean {
  return typeof type !== "string" || ["BOOKMARK", "ERROR", ...changeTypes].includes(type);
}

function invalid(cause?: unknown): BowlineError {
  return new BowlineError("ResponseInvalid", "The server sent an event that is not what the API promises.", {
    cause,
  });
}

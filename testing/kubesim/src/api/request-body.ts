import type { IncomingMessage } from "node:http";

import { isRecord } from "@bowline/core";
import { parse as parseYaml } from "yaml";

import { parseProtobufObject, protobufType } from "../protobuf/protobuf-object.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { badRequest } from "../store/status-errors.ts";

const bodyLimitBytes = 3 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > bodyLimitBytes) {
      throw new SimStatusError({
        code: 413,
        reason: "RequestEntityTooLarge",
        message: `Request entity too large: limit is ${bodyLimitBytes}`,
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export function mediaType(request: IncomingMessage): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

const textTypes = ["application/json", "application/yaml"];

/** A body that holds one object: in JSON or YAML, or in protobuf if its kind is built in. */
export function parseObject(body: Buffer, type: string): JsonRecord {
  if (type === protobufType) {
    const object = parseProtobufObject(body);
    if (object === undefined) throw unsupportedMediaType(textTypes);
    return object;
  }
  if (type !== "" && !textTypes.includes(type)) throw unsupportedMediaType([...textTypes, protobufType]);
  const value = type === "application/yaml" ? parseYamlValue(body) : parseJsonValue(body);
  if (!isRecord(value)) throw badRequest("the request body must hold one object");
  return value;
}

export function parseJsonValue(body: Buffer): unknown {
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    const shown = text.length > 30 ? `${text.slice(0, 30)}...` : text;
    throw badRequest(`couldn't get version/kind; json parse error: ${messageOf(error)} (${shown})`);
  }
}

/** JSON is YAML, and most clients send it: reading it as such takes a tenth of the time. */
export function parseYamlValue(body: Buffer): unknown {
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return parseOnlyYaml(text);
  }
}

function parseOnlyYaml(text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 100 });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
}

export function unsupportedMediaType(accepted: readonly string[]): SimStatusError {
  return new SimStatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

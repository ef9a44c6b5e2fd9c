import { builtinSchema, builtinType } from "../schema/builtin.ts";
import type { ObjectNode } from "../schema/schema-node.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { parseApiVersion } from "../store/resource-type.ts";
import { badRequest } from "../store/status-errors.ts";
import { decodeMessage } from "./decode-message.ts";
import { messageTypesOf } from "./message-types.ts";
import { WireError, WireReader } from "./wire-reader.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

const magic = Buffer.from("k8s\0");

/** An object and the name of its type, as clients wrap it. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** The object in a protobuf body as JSON would have it, or undefined where its kind has no messages: a custom one. */
export function parseProtobufObject(body: Buffer): JsonRecord | undefined {
  const { apiVersion, kind, raw } = openEnvelope(body);
  const type = typeOf(apiVersion, kind);
  if (type === undefined) return undefined;
  const { version } = parseApiVersion(apiVersion);
  const fields = orBadRequest(`${kind} in version "${version}" cannot be handled as a ${kind}`, () =>
    decodeMessage(raw, type, messageTypesOf(apiVersion)),
  );
  return { apiVersion, kind, ...fields };
}

/** Options belong to every group; clients name that of the object they are for. */
function typeOf(apiVersion: string, kind: string): ObjectNode | undefined {
  if (kind === "DeleteOptions") return builtinType("meta.DeleteOptions");
  const { group, version } = parseApiVersion(apiVersion);
  return builtinSchema(group, kind, version);
}

function openEnvelope(body: Buffer): Envelope {
  const unrecognized = "the object provided is unrecognized";
  if (!body.subarray(0, magic.length).equals(magic)) {
    throw badRequest(`${unrecognized}: it does not begin like a protobuf message of Kubernetes`);
  }
  const envelope = orBadRequest(unrecognized, () => readEnvelope(body.subarray(magic.length)));
  if (envelope.kind === "") throw badRequest(`${unrecognized}: it does not name its kind`);
  return envelope;
}

function readEnvelope(message: Buffer): Envelope {
  const reader = new WireReader(message);
  let names = { apiVersion: "", kind: "" };
  let raw: Buffer = Buffer.alloc(0);
  for (const field of reader.fields()) {
    if (field === 1) names = readNames(reader.bytes());
    else if (field === 2) raw = reader.bytes();
    else reader.skip();
  }
  return { ...names, raw };
}

function readNames(message: Buffer): { apiVersion: string; kind: string } {
  const reader = new WireReader(message);
  const names = { apiVersion: "", kind: "" };
  for (const field of reader.fields()) {
    if (field === 1) names.apiVersion = reader.text();
    else if (field === 2) names.kind = reader.text();
    else reader.skip();
  }
  return names;
}

function orBadRequest<Result>(problem: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw badRequest(`${problem}: ${error.message}`);
    throw error;
  }
}

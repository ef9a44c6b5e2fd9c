import { isRecord } from "@bowline/core";

import { isList, type JsonObject } from "../schema/json-value.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/**
 * The OpenAPI v2 document as the message `openapi.v2.Document` of gnostic's OpenAPIv2.proto, which is what kubectl
 * asks for. The numbers below are the field numbers of that file.
 */
export function encodeDocument(document: JsonObject): Uint8Array {
  return new ProtobufWriter()
    .text(1, text(document["swagger"]))
    .message(2, (info) =>
      info.text(1, at(document["info"], "title")).text(2, at(document["info"], "version")),
    )
    .message(8, (paths) => {
      for (const [path, item] of entries(document["paths"])) {
        paths.message(2, (named) => named.text(1, path).message(2, (value) => writePathItem(value, item)));
      }
    })
    .message(9, (definitions) => writeNamedSchemas(definitions, document["definitions"]))
    .finish();
}

function writePathItem(writer: ProtobufWriter, item: JsonObject): void {
  const numbers = { get: 2, patch: 8 };
  for (const [verb, number] of Object.entries(numbers)) {
    const operation = item[verb];
    if (isRecord(operation)) writer.message(number, (message) => writeOperation(message, operation));
  }
}

function writeOperation(writer: ProtobufWriter, operation: JsonObject): void {
  for (const parameter of list(operation["parameters"])) {
    // ParametersItem → Parameter → NonBodyParameter → QueryParameterSubSchema
    writer.message(8, (item) =>
      item.message(1, (outer) =>
        outer.message(2, (inner) =>
          inner.message(3, (query) =>
            query
              .text(2, text(parameter["in"]))
              .text(4, text(parameter["name"]))
              .text(6, text(parameter["type"])),
          ),
        ),
      ),
    );
  }
  writer.message(9, (responses) => {
    for (const [code, response] of entries(operation["responses"])) {
      responses.message(1, (named) =>
        named
          .text(1, code)
          .message(2, (value) => value.message(1, (message) => writeResponse(message, response))),
      );
    }
  });
  writeExtensions(writer, 13, operation);
}

function writeResponse(writer: ProtobufWriter, response: JsonObject): void {
  const { schema } = response;
  writer.text(1, text(response["description"]));
  if (isRecord(schema))
    writer.message(2, (item) => item.message(1, (message) => writeSchema(message, schema)));
}

function writeNamedSchemas(writer: ProtobufWriter, schemas: unknown): void {
  for (const [name, schema] of entries(schemas)) {
    writer.message(1, (named) => named.text(1, name).message(2, (value) => writeSchema(value, schema)));
  }
}

function writeSchema(writer: ProtobufWriter, schema: JsonObject): void {
  const { type, items, properties, additionalProperties, required } = schema;
  writer
    .text(1, text(schema["$ref"]))
    .text(2, text(schema["format"]))
    .text(4, text(schema["description"]))
    .texts(19, isList(required) ? required.map(String) : []);
  if (isRecord(additionalProperties)) {
    writer.message(21, (item) => item.message(1, (value) => writeSchema(value, additionalProperties)));
  }
  if (typeof type === "string") writer.message(22, (item) => item.text(1, type));
  if (isRecord(items)) writer.message(23, (item) => item.message(1, (value) => writeSchema(value, items)));
  if (isRecord(properties)) writer.message(25, (item) => writeNamedSchemas(item, properties));
  writeExtensions(writer, 31, schema);
}

/** Extensions travel as YAML, of which JSON is a part. */
function writeExtensions(writer: ProtobufWriter, field: number, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) {
    if (!name.startsWith("x-")) continue;
    writer.message(field, (named) =>
      named.text(1, name).message(2, (any) => any.text(2, JSON.stringify(value))),
    );
  }
}

function entries(value: unknown): [string, JsonObject][] {
  return isRecord(value)
    ? Object.entries(value).map(([name, child]) => [name, isRecord(child) ? child : {}])
    : [];
}

function list(value: unknown): JsonObject[] {
  return isList(value) ? value.filter(isRecord) : [];
}

function at(value: unknown, name: string): string | undefined {
  return isRecord(value) ? text(value[name]) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

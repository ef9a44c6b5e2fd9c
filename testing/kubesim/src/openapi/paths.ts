import type { JsonObject } from "../schema/json-value.ts";
import type { Dialect } from "./schema-object.ts";
import { definitionName, groupVersionPath, type ServedType } from "./served-type.ts";

/**
 * The paths of the given kinds. Clients look here for one thing: which query parameters a patch of a kind takes, to
 * learn whether the server knows dry runs. So there is a path per object, with get and patch.
 */
export function paths(types: readonly ServedType[], dialect: Dialect): JsonObject {
  return Object.fromEntries(types.map((type) => [objectPath(type), operations(type, dialect)]));
}

function objectPath(type: ServedType): string {
  const scope = type.namespaced ? "namespaces/{namespace}/" : "";
  return `/${groupVersionPath(type)}/${scope}${type.plural}/{name}`;
}

function operations(type: ServedType, dialect: Dialect): JsonObject {
  const kind = { group: type.group, kind: type.kind, version: type.version };
  const answer = { description: "OK", ...answerSchema(definitionName(type), dialect) };
  const operation = (action: string): JsonObject => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
    responses: { 200: answer },
  });
  return {
    get: operation("get"),
    patch: {
      ...operation("patch"),
      parameters: ["dryRun", "fieldManager", "force"].map((name) => query(name, dialect)),
    },
  };
}

function answerSchema(name: string, dialect: Dialect): JsonObject {
  if (dialect === "v2") return { schema: { $ref: `#/definitions/${name}` } };
  return { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } };
}

function query(name: string, dialect: Dialect): JsonObject {
  const type = { type: name === "force" ? "boolean" : "string", uniqueItems: true };
  return { name, in: "query", ...(dialect === "v2" ? type : { schema: type }) };
}

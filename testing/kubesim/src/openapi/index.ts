import { createHash } from "node:crypto";
import type { JsonObject } from "../schema/json-value.ts";
import { definitions } from "./definitions.ts";
import { paths } from "./paths.ts";
import { groupVersionPath, type ServedType } from "./served-type.ts";

export { encodeDocument as encodeOpenApiV2 } from "./v2-protobuf.ts";
export type { ServedType } from "./served-type.ts";

/** How kubectl asks for the protobuf form of `/openapi/v2`. */
export const openApiV2ProtobufAccept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** What the answer is called: clients cannot read a content type with an `@` in it. */
export const openApiV2ProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The document at `/openapi/v2`. */
export function openApiV2(types: readonly ServedType[], serverVersion: string): JsonObject {
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: serverVersion },
    paths: paths(types, "v2"),
    definitions: definitions(types, "v2"),
  };
}

/** One document per group and version, by its path below `/openapi/v3/`. */
export function openApiV3(
  types: readonly ServedType[],
  serverVersion: string,
): ReadonlyMap<string, JsonObject> {
  const byPath = Map.groupBy(types, groupVersionPath);
  return new Map(
    [...byPath].map(([path, served]) => [
      path,
      {
        openapi: "3.0.0",
        info: { title: "Kubernetes", version: serverVersion },
        paths: paths(served, "v3"),
        components: { schemas: definitions(served, "v3") },
      },
    ]),
  );
}

/** The list at `/openapi/v3`. The hash lets clients cache a document until it changes. */
export function openApiV3Index(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return {
    paths: Object.fromEntries(
      [...documents].map(([path, document]) => {
        const hash = createHash("sha512").update(JSON.stringify(document)).digest("hex").toUpperCase();
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
      }),
    ),
  };
}

import { Type, type TObject, type TSchema } from "typebox";

import {
  apiVersion,
  Metadata,
  resourceVersionRule,
  serverMetadataFields,
  UserMetadata,
} from "../bodies/metadata.ts";
import { ListMeta, pageLimits } from "../bodies/list.ts";
import { anything, list, object, optional, text } from "../schema/build.ts";
import { withoutSecrets, writable, type JsonSchema } from "../schema/json-schema.ts";

/** The schemas of a kind's bodies, all made from its spec and its status. */
export interface KindSchemas {
  /** The object as the server keeps it, with secret fields. */
  readonly stored: JsonSchema;
  /** The object as the API returns it. */
  readonly read: JsonSchema;
  /** The answer to a create, which alone carries what is issued once. */
  readonly created: JsonSchema;
  readonly list: JsonSchema;
  /** The body of a create or an apply. */
  readonly write: JsonSchema;
  /** The body of a write to the status subresource. */
  readonly statusWrite: JsonSchema;
}

export interface KindSchemaParts {
  readonly kind: string;
  readonly description: string;
  readonly spec: TSchema;
  readonly status: TSchema;
  readonly issued: TSchema | undefined;
}

export function kindSchemas(parts: KindSchemaParts): KindSchemas {
  const { kind, spec, status, issued } = parts;
  const read = objectSchema(parts, { spec: withoutSecrets(spec), status });
  return {
    stored: objectSchema(parts, { spec, status }),
    read,
    created: objectSchema(parts, { spec: withoutSecrets(spec), status: issued ?? status }),
    list: object(`A page of ${kind} objects.`, {
      apiVersion: Type.Literal(apiVersion),
      kind: Type.Literal(`${kind}List`),
      metadata: ListMeta,
      items: list("The objects.", read, { maxItems: pageLimits.maximum }),
    }),
    write: object(parts.description, {
      ...header(kind),
      metadata: writeMetadata(),
      spec: writable(spec),
      status: ignored(),
    }),
    statusWrite: object(`The status of a ${kind}.`, {
      ...header(kind),
      metadata: optional(
        object("Only the resourceVersion counts.", {
          name: ignored(),
          labels: ignored(),
          annotations: ignored(),
          ...serverMetadata(),
        }),
      ),
      spec: ignored(),
      status: writable(status),
    }),
  };
}

function objectSchema(parts: KindSchemaParts, content: { spec: TSchema; status: TSchema }): TObject {
  return object(parts.description, {
    apiVersion: Type.Literal(apiVersion, { description: "Always the same." }),
    kind: Type.Literal(parts.kind, { description: "The kind of the object." }),
    metadata: Metadata,
    ...content,
  });
}

/** The address says both already, so a body may leave them out; it may not say anything else. */
function header(kind: string): Record<"apiVersion" | "kind", TSchema> {
  return {
    apiVersion: optional(Type.Literal(apiVersion, { description: "Always the same." })),
    kind: optional(Type.Literal(kind, { description: "The kind of the object." })),
  };
}

function writeMetadata(): TSchema {
  const { properties } = UserMetadata;
  return writable(object("What every object carries.", { ...properties, ...serverMetadata() }));
}

/** Output of `get -o yaml` can be applied again: what belongs to the server is accepted, and not looked at. */
function serverMetadata(): Record<string, TSchema> {
  return {
    resourceVersion: optional(
      text("Write only if the object still has this resourceVersion.", resourceVersionRule),
    ),
    ...Object.fromEntries(serverMetadataFields.map((name) => [name, ignored()])),
  };
}

function ignored(): TSchema {
  return optional(
    Object.assign(anything("Set by the server; ignored in what a client sends."), { readOnly: true }),
  );
}

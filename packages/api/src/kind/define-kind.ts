import { BowlineError } from "@bowline/core";
import type { Static, TObject, TSchema } from "typebox";

import { parseFieldPath, schemaAt } from "../schema/field-path.ts";
import { secretPaths, type JsonSchema } from "../schema/json-schema.ts";
import { object } from "../schema/build.ts";
import { filterableField, parseFieldSelector } from "../select/field-selector.ts";
import type { Problem } from "../validate/report.ts";
import type { Column, DerivedStatus, Exclusive, Kind, Reference } from "./kind.ts";
import { kindSchemas } from "./kind-schemas.ts";

export interface KindDefinition<Name extends string, Spec extends TObject, Status extends TObject> {
  readonly kind: Name;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  readonly columns: readonly Column[];
  /** Paths; `metadata.name` is always one of them. */
  readonly filterable?: readonly string[];
  readonly references?: readonly Reference[];
  readonly immutable?: readonly string[];
  /** A field selector for objects of which the last must not go, and what to call such a one. */
  readonly keepsOne?: { readonly selector: string; readonly what: string };
  readonly exclusive?: Exclusive<Static<Spec>>;
  readonly conditions?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Fields that the status has once, in the answer to the create, and never again. */
  readonly issued?: Readonly<Record<string, TSchema>>;
  readonly derived?: DerivedStatus<Static<Spec>, Static<Status>>;
  readonly recordsAuthor?: boolean;
  readonly recordsApprover?: boolean;
  readonly serverMade?: boolean;
  readonly check?: (spec: Static<Spec>) => readonly Problem[];
  readonly checkChange?: (before: Static<Spec>, after: Static<Spec>) => readonly Problem[];
}

/** Makes a kind, and refuses at start, not at the first request, what does not fit together. */
export function defineKind<Name extends string, Spec extends TObject, Status extends TObject>(
  definition: KindDefinition<Name, Spec, Status>,
): Kind<Name, Spec, Status> {
  const { kind, spec, status, check, issued, shortNames = [], references = [], immutable = [] } = definition;
  const schemas = kindSchemas({
    kind,
    description: definition.description,
    spec,
    status,
    issued:
      issued && object("What the server found out, and what it issued.", { ...status.properties, ...issued }),
  });
  const columns = definition.columns.flatMap(({ path, of }) => (of === undefined ? [path] : [path, of]));
  const referring = references.map((reference) => reference.field);
  const derivedFields = definition.derived?.fields.map((field) => `status.${field}`) ?? [];
  if (definition.recordsAuthor === true) derivedFields.push("status.author.user", "status.deletedBy.user");
  if (definition.recordsApprover === true) derivedFields.push("spec.approved", "status.approvedBy.user");
  for (const path of [...columns, ...referring, ...immutable, ...derivedFields]) {
    requireReadable(kind, path, schemas.read);
  }
  const defined: Kind<Name, Spec, Status> = {
    kind,
    plural: definition.plural,
    singular: kind.toLowerCase(),
    shortNames,
    description: definition.description,
    spec,
    status,
    schemas,
    columns: definition.columns,
    filterable: ["metadata.name", ...(definition.filterable ?? [])].map((path) =>
      filterableField(path, schemas.read),
    ),
    references,
    secretFields: secretPaths(spec, "spec"),
    immutable,
    keepsOne: undefined,
    exclusive: definition.exclusive,
    conditions: definition.conditions ?? {},
    finalizers: definition.finalizers ?? [],
    issued: Object.keys(issued ?? {}),
    derived: definition.derived,
    recordsAuthor: definition.recordsAuthor ?? false,
    recordsApprover: definition.recordsApprover ?? false,
    serverMade: definition.serverMade ?? false,
    check: check ?? (() => []),
    checkChange: definition.checkChange ?? (() => []),
  };
  const { keepsOne } = definition;
  requireSelectable(defined);
  if (keepsOne === undefined) return defined;
  return {
    ...defined,
    keepsOne: { what: keepsOne.what, fields: parseFieldSelector(defined, keepsOne.selector) },
  };
}

function requireSelectable({
  kind,
  exclusive,
  filterable,
}: Pick<Kind, "kind" | "exclusive" | "filterable">): void {
  if (exclusive === undefined || filterable.some(({ text }) => text === exclusive.field)) return;
  throw new BowlineError("Internal", `${kind} cannot be selected by "${exclusive.field}".`);
}

/** Tables, filters and errors show only what the API returns, so a secret can be in none of them. */
function requireReadable(kind: string, path: string, schema: JsonSchema): void {
  if (schemaAt(parseFieldPath(path), schema) === undefined) {
    throw new BowlineError(
      "Internal",
      `${kind} names the field "${path}", which is not in what the API returns.`,
    );
  }
}

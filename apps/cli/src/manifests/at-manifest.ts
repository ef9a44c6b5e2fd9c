import { BowlineError } from "@bowline/core";

import { resourceName } from "../resources/resource.ts";
import { placeOf, type Manifest } from "./manifest.ts";

/** What the server says about an object, with the place where that was written: `web.yaml, line 7: …`. */
export function atManifest(manifest: Manifest, thrown: unknown): BowlineError {
  const error = BowlineError.from(thrown);
  const fields = fieldsOf(error);
  const { origin, lineOf } = manifest;
  const [first] = fields;
  const message = `${placeOf(origin, lineOf(first?.path ?? ""))}: ${resourceName(manifest)}: ${error.message}`;
  const located = fields.map(({ path, message: problem }) => ({
    path: `line ${lineOf(path)}${path === "" ? "" : `, ${path}`}`,
    message: problem,
  }));
  return new BowlineError(error.code, message, {
    cause: error,
    details: { ...error.details, ...(located.length === 0 ? {} : { fields: located }) },
  });
}

interface WrongField {
  readonly path: string;
  readonly message: string;
}

function fieldsOf({ details }: BowlineError): WrongField[] {
  const fields = details?.["fields"];
  return Array.isArray(fields) ? fields.filter(isWrongField) : [];
}

function isWrongField(value: unknown): value is WrongField {
  return (
    typeof value === "object" &&
    value !== null &&
    "path" in value &&
    typeof value.path === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}

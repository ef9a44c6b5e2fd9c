import { isRecord } from "@bowline/core";

import { dns1035Label, dnsSubdomain } from "../store/name-rules.ts";
import type { FieldProblem } from "../store/status-errors.ts";
import { invalid, required, unsupported } from "./field-problem.ts";
import { deepEqual, isList, valueAt, type JsonObject } from "./json-value.ts";
import { structuralProblems } from "./structural-schema.ts";

type Problems = Generator<FieldProblem>;

/** What is wrong with a CustomResourceDefinition. It should have its defaults by now. */
export function validateCrd(crd: JsonObject): FieldProblem[] {
  const spec = crd["spec"];
  if (!isRecord(spec)) return [required("spec")];
  return [
    ...problemsOfName(crd),
    ...problemsOfGroup(spec),
    ...problemsOfScope(spec),
    ...problemsOfVersions(spec),
    ...problemsOfNames(spec),
    ...problemsOfSchemas(spec),
  ];
}

/** What may not change between two states of a CustomResourceDefinition. */
export function validateCrdUpdate(before: JsonObject, after: JsonObject): FieldProblem[] {
  const immutable = [["group"], ["scope"], ["names", "kind"], ["names", "plural"]];
  const changed = immutable.filter(
    (path) => !deepEqual(valueAt(before, "spec", ...path), valueAt(after, "spec", ...path)),
  );
  return [
    ...changed.map((path) =>
      invalid(`spec.${path.join(".")}`, valueAt(after, "spec", ...path), "field is immutable"),
    ),
    ...validateCrd(after),
  ];
}

function* problemsOfName(crd: JsonObject): Problems {
  const name = valueAt(crd, "metadata", "name");
  const expected = `${text(valueAt(crd, "spec", "names", "plural"))}.${text(valueAt(crd, "spec", "group"))}`;
  if (name !== expected) yield invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group');
}

function* problemsOfGroup(spec: JsonObject): Problems {
  const group = text(spec["group"]);
  if (group === "") yield required("spec.group");
  else if (dnsSubdomain(group).length > 0) yield invalid("spec.group", group, dnsSubdomain(group).join(", "));
  else if (!group.includes("."))
    yield invalid("spec.group", group, "should be a domain with at least one dot");
}

function* problemsOfScope(spec: JsonObject): Problems {
  const scope = text(spec["scope"]);
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") yield required("spec.scope");
  else if (!scopes.includes(scope)) yield unsupported("spec.scope", scope, scopes);
  if (spec["preserveUnknownFields"] === true) {
    const instead =
      "cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead";
    yield invalid("spec.preserveUnknownFields", true, instead);
  }
}

function* problemsOfVersions(spec: JsonObject): Problems {
  const versions = versionsOf(spec);
  const names = versions.map((version) => text(version["name"]));
  for (const [index, name] of names.entries()) {
    for (const why of dns1035Label(name)) yield invalid(`spec.versions[${index}].name`, name, why);
  }
  if (new Set(names).size < names.length)
    yield invalid("spec.versions", names, "must contain unique version names");
  if (versions.filter((version) => version["storage"] === true).length !== 1) {
    yield invalid("spec.versions", names, "must have exactly one version marked as storage version");
  }
}

function* problemsOfNames(spec: JsonObject): Problems {
  const nameOf = (key: string): string => text(valueAt(spec, "names", key));
  for (const key of ["plural", "singular", "kind", "listKind"]) {
    const path = `spec.names.${key}`;
    const name = nameOf(key);
    const isKind = key === "kind" || key === "listKind";
    if (name === "") yield required(path);
    for (const why of name === "" ? [] : dns1035Label(isKind ? name.toLowerCase() : name)) {
      yield invalid(path, name, isKind ? `may have mixed case, but should otherwise match: ${why}` : why);
    }
  }
  if (nameOf("kind") !== "" && nameOf("kind") === nameOf("listKind")) {
    yield invalid("spec.names.listKind", nameOf("listKind"), "kind and listKind may not be the same");
  }
}

/** The server keeps a schema that all versions share in one place, and names that place in its answers. */
function* problemsOfSchemas(spec: JsonObject): Problems {
  const schemas = versionsOf(spec).map((version) => valueAt(version, "schema", "openAPIV3Schema"));
  const [first] = schemas;
  if (first !== undefined && schemas.every((schema) => deepEqual(schema, first))) {
    yield* structuralProblems(first, "spec.validation.openAPIV3Schema");
    return;
  }
  for (const [index, schema] of schemas.entries()) {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (schema === undefined) yield required(path, "schemas are required");
    else yield* structuralProblems(schema, path);
  }
}

function versionsOf(spec: JsonObject): JsonObject[] {
  return isList(spec["versions"]) ? spec["versions"].filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { validateWrite } from "../kind/validate-write.ts";
import { parseFieldPath } from "../schema/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { dnsLabel } from "../schema/text-rule.ts";
import { createValidator } from "../validate/validator.ts";
import { AccessGrant } from "./access-grant.ts";
import { Cluster } from "./cluster.ts";
import { Credential } from "./credential.ts";
import { findKind, kinds, referencesOf, referrersOf, requireKind } from "./kinds.ts";
import { WorkloadInstance } from "./workload-instance.ts";
import { placementName } from "./workload-placement.ts";

interface Found {
  readonly path: string;
  readonly schema: JsonSchema;
}

function everySchema(schema: JsonSchema, path: string): Found[] {
  const { properties = {}, items, additionalProperties, propertyNames } = schema;
  const inner: [string, JsonSchema | undefined][] = [
    ...Object.entries(properties),
    ["[]", items],
    ["*", typeof additionalProperties === "object" ? additionalProperties : undefined],
    ["keys", propertyNames],
  ];
  return [
    { path, schema },
    ...inner.flatMap(([name, value]) => (value === undefined ? [] : everySchema(value, `${path}.${name}`))),
  ];
}

const everyField = kinds.flatMap((kind) => everySchema(kind.schemas.stored, kind.kind));

function missing(fields: readonly Found[], isFine: (schema: JsonSchema) => boolean): string[] {
  return fields.filter(({ schema }) => !isFine(schema)).map(({ path }) => path);
}

describe("every field of every kind", () => {
  test("is described in a sentence", () => {
    expect(missing(everyField, ({ description }) => /^[A-Z].*\.$/s.test(description ?? ""))).toEqual([]);
  });

  test("of text is bounded", () => {
    const texts = everyField.filter(
      ({ schema }) => schema.type === "string" && !schema.enum && !schema.const,
    );
    expect(missing(texts, ({ maxLength }) => maxLength !== undefined)).toEqual([]);
  });

  test("of numbers is bounded", () => {
    const numbers = everyField.filter(({ schema }) => schema.type === "integer" || schema.type === "number");
    expect(
      missing(numbers, ({ minimum, maximum }) => minimum !== undefined && maximum !== undefined),
    ).toEqual([]);
  });

  test("of lists and maps is bounded", () => {
    const lists = everyField.filter(({ schema }) => schema.type === "array");
    expect(missing(lists, ({ maxItems }) => maxItems !== undefined)).toEqual([]);
    const objects = everyField.filter(({ schema }) => schema.type === "object");
    const closed = (schema: JsonSchema): boolean =>
      schema.additionalProperties === false ||
      (schema.maxProperties !== undefined && schema.propertyNames !== undefined);
    expect(missing(objects, closed)).toEqual([]);
  });

  test("with a pattern says in words what it expects", () => {
    const patterns = everyField.filter(({ schema }) => schema.pattern !== undefined);
    expect(missing(patterns, (schema) => schema["x-bowline-expects"] !== undefined)).toEqual([]);
  });

  test("with a default has one that its own schema accepts", () => {
    const defaults = everyField.filter(({ schema }) => schema.default !== undefined);
    expect(missing(defaults, (schema) => createValidator(schema)(schema.default).ok)).toEqual([]);
  });
});

describe.each(kinds)("$kind", (kind) => {
  test("has names as addresses and the command line need them", () => {
    expect(kind.kind).toMatch(/^([A-Z][a-z]+)+$/);
    expect([kind.plural, kind.singular, ...kind.shortNames].join("")).toMatch(/^[a-z]+$/);
  });

  test("has headers in upper case, and no header twice", () => {
    const headers = ["NAME", ...kind.columns.map((column) => column.header), "AGE"];
    expect(headers.filter((header) => !/^[A-Z]+(-[A-Z]+)*$/.test(header))).toEqual([]);
    expect(headers).toEqual([...new Set(headers)]);
  });

  test("shows and filters only conditions that it says it has", () => {
    const paths = [
      ...kind.columns.map((column) => column.path),
      ...kind.filterable.map((field) => field.text),
    ];
    const types = paths.flatMap((path) =>
      parseFieldPath(path).steps.flatMap((step) => (step.step === "where" ? [step.value] : [])),
    );
    expect(Object.keys(kind.conditions)).toEqual(expect.arrayContaining(types));
  });

  test("has a page in the reference, whose examples are accepted", () => {
    const folder = new URL("../../../../docs/reference/kinds/", import.meta.url);
    const page = readdirSync(folder).find((name) => name.replaceAll("-", "") === `${kind.singular}.md`);
    const text = readFileSync(new URL(page ?? "missing", folder), "utf8");
    const sections = Array.from(text.matchAll(/^#+ .*$/gm), ([heading]) => heading);
    expect(sections).toEqual([
      `# ${kind.kind}`,
      "## Example",
      "## Fields",
      "## Working with it",
      "## Status",
    ]);
    const examples = Array.from(text.matchAll(/```yaml\n([^]*?)```/g), ([, example = ""]) => parse(example));
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      expect(validateWrite(kind, example, { creating: true })).toMatchObject({ ok: true });
    }
  });
});

function namesOf(found: ReturnType<typeof referencesOf>): string[] {
  return found.map(({ field, kind, name }) => `${field} → ${kind}/${name}`);
}

describe("referencesOf", () => {
  test("names every object that an object names", () => {
    const spec = { definition: "web", placement: { clusters: ["a", "b"] } };
    expect(namesOf(referencesOf(WorkloadInstance, { spec }))).toEqual([
      "spec.definition → WorkloadDefinition/web",
      "spec.placement.clusters[] → Cluster/a",
      "spec.placement.clusters[] → Cluster/b",
    ]);
  });

  test("leaves out what is not set", () => {
    const spec = { subjects: [{ group: "ops" }, { user: "editor" }], clusters: { selector: {} } };
    expect(namesOf(referencesOf(AccessGrant, { spec }))).toEqual(["spec.subjects[].user → User/editor"]);
  });
});

describe("referrersOf", () => {
  test("names the fields that can hold the name of a cluster", () => {
    const fields = referrersOf(Cluster).map(({ from, reference }) => `${from.kind} ${reference.field}`);
    expect(fields).toEqual([
      "Cluster spec.clusterapi.managementCluster",
      "WorkloadInstance spec.placement.clusters[]",
      "WorkloadPlacement spec.cluster",
      "Gateway spec.clusters[]",
      "DomainName spec.clusters[]",
      "AccessGrant spec.clusters.names[]",
    ]);
  });

  test("a credential is never taken away from what uses it", () => {
    const cascades = referrersOf(Credential).map(({ reference }) => reference.cascade);
    expect(new Set(cascades)).toEqual(new Set(["refuse"]));
  });
});

test("what is owned is never made for an owner who is not there", () => {
  const owned = kinds.flatMap((kind) => kind.references.filter(({ cascade }) => cascade === "owned"));
  expect(owned.map(({ field, kind }) => `${field} → ${kind}`)).toEqual([
    "spec.instance → WorkloadInstance",
    "spec.cluster → Cluster",
    "spec.account → User",
    "spec.token → Token",
  ]);
  expect(owned.every(({ mustExist }) => mustExist)).toBe(true);
});

describe("placementName", () => {
  const isName = (name: string): boolean => new RegExp(dnsLabel.pattern, "u").test(name) && name.length <= 63;

  test("is a name, begins like the instance, and is another one for every instance and cluster", () => {
    const places = ["web", "api", "w".repeat(63), `${"w".repeat(62)}x`, `${"w".repeat(49)}-w`].flatMap(
      (instance) => ["prod-eu-1", "prod-eu-2", "c".repeat(63)].map((cluster) => [instance, cluster] as const),
    );
    const names = places.map(([instance, cluster]) => placementName(instance, cluster));
    expect(new Set(names).size).toBe(places.length);
    expect(names.filter((name) => !isName(name))).toEqual([]);
    expect(names[0]).toMatch(/^web-[0-9a-v]{10}$/);
  });

  test("stays what it is", () => {
    expect(placementName("web", "prod-eu-1")).toBe(placementName("web", "prod-eu-1"));
    expect(placementName("web", "prod-eu-1")).toBe("web-9eojm238or");
  });
});

test("every reference is to a kind that exists", () => {
  const names = kinds.map((kind) => kind.kind);
  for (const kind of kinds) {
    for (const reference of kind.references) expect(names).toContain(reference.kind);
  }
});

describe("findKind", () => {
  test.each(["WorkloadInstance", "workloadinstances", "workloadinstance", "wi", "WI", "WorkloadInstances"])(
    "knows %s",
    (name) => {
      expect(findKind(name)).toBe(WorkloadInstance);
    },
  );

  test.each(["", "pods", "workload", "constructor"])("does not know «%s»", (name) => {
    expect(findKind(name)).toBeUndefined();
  });
});

describe("requireKind", () => {
  test("returns the kind", () => {
    expect(requireKind("cl")).toBe(Cluster);
  });

  test("suggests what was meant", () => {
    expect(() => requireKind("clutser")).toThrow("There is no kind «clutser»; did you mean «cluster»?");
  });

  test("lists the kinds when nothing is near", () => {
    expect(() => requireKind("deployments")).toThrow(
      "There is no kind «deployments»; the kinds are clusters, workloaddefinitions,",
    );
  });
});

test("no two kinds go by one name", () => {
  const names = kinds.flatMap((kind) => [kind.plural, kind.singular, ...kind.shortNames]);
  expect(names).toEqual([...new Set(names)]);
});

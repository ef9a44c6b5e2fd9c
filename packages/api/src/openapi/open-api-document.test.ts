import { readFileSync } from "node:fs";

import { asRecord } from "@bowline/core";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";

import { kinds } from "../kinds/kinds.ts";
import { minimalBodies, returnedObject } from "../testing/samples.ts";
import { openApiDocument } from "./open-api-document.ts";

const document = openApiDocument({ version: "1.2.3" });
const text = JSON.stringify(document);

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly responses?: Readonly<Record<string, object>>;
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== "parameters")
    .map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
);

/** Operations on objects of one kind only. */
const isOfOneKind = (name: string): boolean =>
  /\/(?:revoke|access|join-tokens|revoke-agents|tree|diff|resolve|views|revisions|revisions\/\{id\})$/u.test(
    name,
  );

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => asRecord(value)[key], document);
}

describe("openApiDocument", () => {
  test("refers only to what is in it", () => {
    const references = Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, reference = ""]) => reference);
    expect(references.length).toBeGreaterThan(100);
    expect([...new Set(references)].filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  test("keeps no component that nothing refers to", () => {
    const components = Object.entries(document.components)
      .filter(([group]) => group !== "securitySchemes")
      .flatMap(([group, members]) => Object.keys(members).map((name) => `#/components/${group}/${name}`));
    expect(components.filter((component) => !text.includes(`"${component}`))).toEqual([]);
  });

  test("gives every operation an id of its own", () => {
    const ids = operations.map(([, operation]) => operation.operationId);
    expect(ids).not.toContain(undefined);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test("has the same operations for every kind that clients write", () => {
    const written = kinds.filter(({ serverMade }) => !serverMade);
    const shapes = written.map((kind) =>
      operations
        .filter(([name]) => name.split("/").includes(kind.plural) && !isOfOneKind(name))
        .map(([name, { parameters, responses }]) => [
          name.replace(kind.plural, "*"),
          parameters?.map((parameter) => parameter.$ref),
          Object.keys(responses ?? {}),
        ]),
    );
    expect(shapes[0]?.map(([name]) => name)).toEqual([
      "GET /api/v1/*",
      "POST /api/v1/*",
      "GET /api/v1/*/{name}",
      "PUT /api/v1/*/{name}",
      "PATCH /api/v1/*/{name}",
      "DELETE /api/v1/*/{name}",
      "GET /api/v1/*/{name}/status",
      "PUT /api/v1/*/{name}/status",
    ]);
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
  });

  test("lets clients read and delete what only the server writes", () => {
    const names = operations.map(([name]) => name).filter((name) => name.includes("/sessions"));
    expect(names).toEqual(
      expect.arrayContaining([
        "GET /api/v1/sessions",
        "GET /api/v1/sessions/{name}",
        "DELETE /api/v1/sessions/{name}",
      ]),
    );
    expect(names.filter((name) => /^(?:PUT|PATCH)|status$/u.test(name))).toEqual([]);
  });

  test("has what belongs to no kind", () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        "/livez",
        "/healthz",
        "/readyz",
        "/metrics",
        "/version",
        "/api/v1/audit",
        "/api/v1/events",
        "/api/v1/login",
        "/api/v1/whoami",
        "/api/v1/tokens/{name}/revoke",
      ]),
    );
  });

  test("shows none of the keywords that are our own or Kubernetes'", () => {
    expect(text).not.toMatch(/"x-(?:bowline|kubernetes)-/);
  });

  test("shows a secret only in what is written", () => {
    const property = (schema: string): unknown =>
      resolve(`#/components/schemas/${schema}/properties/spec/properties/data`);
    expect(property("CredentialWrite")).toMatchObject({ writeOnly: true });
    expect(property("Credential")).toBeUndefined();
  });

  test("shows what is issued once only in the answer to the create", () => {
    const property = (schema: string): unknown =>
      resolve(`#/components/schemas/${schema}/properties/status/properties/secret`);
    expect(property("TokenCreated")).toBeDefined();
    expect(property("Token")).toBeUndefined();
  });
});

describe.each(minimalBodies.filter(([{ serverMade }]) => !serverMade))("the schemas of %o", (kind, body) => {
  /** The component with those it refers to, as a JSON Schema that stands alone. */
  const schemaOf = (name: string): object =>
    JSON.parse(
      JSON.stringify({
        $ref: `#/components/schemas/${name}`,
        $defs: document.components["schemas"],
      }).replaceAll("#/components/schemas/", "#/$defs/"),
    );
  const stored = returnedObject(kind, body);

  test("take what the server takes, and describe what it returns", () => {
    const write = Compile(schemaOf(`${kind.kind}Write`));
    const read = Compile(schemaOf(kind.kind));
    expect(write.Check(body)).toBe(true);
    expect(write.Check(stored)).toBe(true);
    expect(write.Check({ ...body, spec: { ...asRecord(body["spec"]), nonsense: 1 } })).toBe(false);
    expect(read.Check(stored)).toBe(true);
    expect(read.Check(body)).toBe(false);
    expect(Compile(schemaOf(`${kind.kind}Created`)).Check(stored)).toBe(true);
    expect(Compile(schemaOf(`${kind.kind}StatusWrite`)).Check(stored)).toBe(true);
  });
});

test("docs/reference/openapi.json is this document, at the version of the product", () => {
  const committed = JSON.parse(
    readFileSync(new URL("../../../../docs/reference/openapi.json", import.meta.url), "utf8"),
  );
  expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument({ version: committed.info.version }))));
});

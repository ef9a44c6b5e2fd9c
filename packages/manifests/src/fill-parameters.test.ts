import { canonicalJson } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fillParameters, type FillValues } from "./fill-parameters.ts";
import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";
import { maxExpandedLength } from "./limits.ts";
import type { ManifestObject } from "./manifest-object.ts";
import { parameterProblem, type GivenParameter } from "./parameters.ts";
import { parseManifests } from "./parse-manifests.ts";
import { describeProblem } from "./problem.ts";
import { referencesIn } from "./references-in.ts";

const parameters = (given: Record<string, GivenParameter>): ReadonlyMap<string, GivenParameter> =>
  new Map(Object.entries(given));

const values: FillValues = {
  parameters: parameters({
    replicas: { type: "integer", text: "3" },
    ratio: { type: "number", text: "0.10" },
    debug: { type: "boolean", text: "true" },
    host: { type: "string", text: "web.example.com" },
    digits: { type: "string", text: "0644" },
    evil: { type: "string", text: '", admin: yes\n---\nkind: Pod # ${{ host }} $${{' },
    empty: { type: "string", text: "" },
    broken: { type: "integer", text: "three" },
  }),
  cluster: { name: "prod-eu-1", region: "eu-1", labels: { tier: "gold", "example.com/zone": "a" } },
};

const object = (fields: object): ManifestObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...fields,
});

test("an object with a problem is refused, also after so many problems that no more are told", () => {
  const bad = Array.from({ length: 150 }, (_, index) =>
    object({ metadata: { name: `bad-${index}` }, data: "${{ unknown }}", more: "${{ broken }}" }),
  );
  const good = object({ metadata: { name: "good" }, data: "${{ host }}" });
  const filled = fillParameters([...bad, good], values);
  expect(filled.problems).toHaveLength(100);
  expect(filled.objects.map(({ metadata }) => metadata.name)).toEqual(["good"]);
  expect(filled.refused.map((one) => one.object)).toEqual(bad);
  expect(filled.refused.at(-1)?.problems).toMatchObject([{ path: "data" }, { path: "more" }]);
});

describe("filling in", () => {
  test.each([
    ["${{ replicas }}", 3],
    ["${{ ratio }}", 0.1],
    ["${{ debug }}", true],
    ["${{ host }}", "web.example.com"],
    ["${{ digits }}", "0644"],
    ["${{ empty }}", ""],
    ["${{ cluster.name }}", "prod-eu-1"],
    ["${{ cluster.region }}", "eu-1"],
    ["${{ cluster.labels.tier }}", "gold"],
    ["${{ cluster.labels.example.com/zone }}", "a"],
    ["n=${{ replicas }}", "n=3"],
    [" ${{ replicas }}", " 3"],
    ["${{ ratio }}/${{ debug }}", "0.10/true"],
    ["https://${{ host }}:${{ replicas }}", "https://web.example.com:3"],
    ["$${{ replicas }}", "${{ replicas }}"],
    ["${{ evil }}", '", admin: yes\n---\nkind: Pod # ${{ host }} $${{'],
    ["<${{ evil }}>", '<", admin: yes\n---\nkind: Pod # ${{ host }} $${{>'],
  ])("%j becomes %j", (text, expected) => {
    const { objects, problems } = fillParameters([object({ data: [{ text }] })], values);
    expect(problems).toEqual([]);
    expect(objects).toEqual([object({ data: [{ text: expected }] })]);
  });

  test("the parsed text as it stands in YAML", () => {
    const text = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: "web-\${{ cluster.name }}"}
spec:
  replicas: \${{ replicas }}
  quoted: "\${{ replicas }}"
  script: |
    echo \${HOME} $(POD) \${{ host }}
`;
    const { objects } = parseManifests(text);
    expect(fillParameters(objects, values)).toEqual({
      refused: [],
      problems: [],
      objects: [
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "web-prod-eu-1" },
          spec: { replicas: 3, quoted: 3, script: "echo ${HOME} $(POD) web.example.com\n" },
        },
      ],
    });
  });

  test.each([
    [{ "${{ host }}": 1 }, 'ConfigMap a: data["${{ host }}"]: has ${{ in a key; only values can refer'],
    [
      { x: "${{ nowhere }}" },
      "ConfigMap a: data.x: refers to the parameter nowhere, which has neither a value nor",
    ],
    [
      { x: ["-", "${{ broken }}"] },
      "ConfigMap a: data.x[1]: refers to the parameter broken, which must be a whole number",
    ],
    [
      { x: "${{ cluster.labels.none }}" },
      "ConfigMap a: data.x: refers to the label none of the cluster, which it does not",
    ],
    [
      { x: "${{ cluster.labels.constructor }}" },
      "ConfigMap a: data.x: refers to the label constructor of the cluster",
    ],
    [{ x: "${{ a.b }}" }, "ConfigMap a: data.x: refers to a.b, which is neither"],
    [{ x: "${{ a" }, "ConfigMap a: data.x: has a ${{ without }}"],
  ])("refuses %j", (data, expected) => {
    const { objects, problems } = fillParameters(
      [object({ data }), object({ metadata: { name: "b" } })],
      values,
    );
    expect(problems.map((problem) => describeProblem(problem).slice(0, expected.length))).toEqual([expected]);
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("a cluster may have no region", () => {
    const cluster = { name: "a", labels: {} };
    const { problems } = fillParameters([object({ data: "${{ cluster.region }}" })], { ...values, cluster });
    expect(problems.map(describeProblem)).toEqual([
      "ConfigMap a: data: refers to cluster.region, which the cluster does not have",
    ]);
  });

  test("names are checked as they come out", () => {
    const metadata = [
      { name: "${{ replicas }}" },
      { name: "a/${{ host }}" },
      { name: "$${{/../x" },
      { name: "${{ empty }}" },
      { name: "b", namespace: "${{ host }}" },
      { name: "c", labels: { version: "${{ replicas }}" } },
      { name: "d-${{ cluster.labels.tier }}" },
      { name: "d-gold" },
    ].map((entry) => object({ metadata: entry }));
    const { objects, problems } = fillParameters(metadata, values);
    expect(problems.map(({ message }) => message.slice(0, 47))).toEqual([
      "metadata.name must be text; quote it",
      "metadata.name must be a name of at most 253 cha",
      "metadata.name must be a name of at most 253 cha",
      "metadata.name is missing",
      "metadata.namespace must be a namespace: at most",
      "metadata.labels.version must be text; quote it",
      "with its parameters, another object is the same",
    ]);
    expect(objects.map(({ metadata: { name } }) => name)).toEqual(["d-gold"]);
  });

  test("one long value cannot be repeated without end", () => {
    const long = { type: "string", text: "x".repeat(4096) } as const;
    const data = Array.from({ length: 3000 }, () => "${{ long }}");
    const { problems } = fillParameters([object({ data })], {
      ...values,
      parameters: new Map([["long", long]]),
    });
    expect(problems[0]?.message).toMatch(`become longer than ${maxExpandedLength} characters`);
  });
});

describe("the references of objects", () => {
  test("are listed once and sorted, with the first place", () => {
    const objects = [
      object({ data: { x: "${{ b }} ${{ a }}", y: ["$${{ no }}", "${{ cluster.name }}"] } }),
      object({ metadata: { name: "c", labels: { z: "${{ a }}" } } }),
    ];
    expect(referencesIn(objects)).toEqual({
      problems: [],
      parameters: [
        { name: "a", object: "ConfigMap a", path: "data.x" },
        { name: "b", object: "ConfigMap a", path: "data.x" },
      ],
      facts: [{ name: "cluster.name", object: "ConfigMap a", path: "data.y[1]" }],
    });
  });

  test("have the same problems without values as with them", () => {
    const objects = [object({ data: { "${{ a }}": "${{", x: "${{ a.b }}", y: [["${{ }}"]] } })];
    const { problems } = referencesIn(objects);
    expect(problems).toHaveLength(4);
    expect(new Set(problems)).toEqual(new Set(fillParameters(objects, values).problems));
  });
});

describe("a parameter", () => {
  test.each([
    ["string", ["", "x", "3"], []],
    [
      "integer",
      ["0", "3", "-3", "9007199254740991"],
      ["", "-0", "03", "1.5", "1e3", "0x1", " 3", "9007199254740993"],
    ],
    ["number", ["0", "-3", "1.5", "1e3", "0.10", "1.5E-3"], ["", ".5", "5.", "1e999", "NaN", "+1", "0x1"]],
    ["boolean", ["true", "false"], ["", "True", "yes", "1", "null"]],
  ] as const)("of type %s is written as %j, not as %j", (type, right, wrong) => {
    expect(right.map((text) => parameterProblem(type, text))).toEqual(right.map(() => undefined));
    for (const text of wrong) expect(parameterProblem(type, text)).toMatch(/^must be /);
  });
});

describe("whatever is filled in", () => {
  const texts = fc.array(
    fc.constantFrom(
      "${{ replicas }}",
      "${{ host }}",
      "${{ evil }}",
      "${{ cluster.name }}",
      "$${{",
      "$",
      "}}",
      "a",
    ),
    { maxLength: 5 },
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      texts.map((parts) => parts.join("")),
      fc.constantFrom(null, true, 5),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom("a", "b", "c d", "constructor"), tie("value"), { noNullPrototype: true }),
    ),
  }));

  test("only scalars change, and what has no references stays", () => {
    fc.assert(
      fc.property(value, (data) => {
        const before = object({ data });
        const { objects, problems } = fillParameters([before], values);
        expect(problems).toEqual([]);
        expect(shapeOf(objects[0] ?? null)).toEqual(shapeOf(before));
        const isSame = canonicalJson(objects) === canonicalJson([before]);
        expect(isSame || JSON.stringify(data).includes("${{")).toBe(true);
      }),
    );
  });

  test("all that is filled in was listed, and nothing else is looked up", () => {
    fc.assert(
      fc.property(value, (data) => {
        const used = referencesIn([object({ data })]);
        const listed = new Set(used.parameters.map(({ name }) => name));
        const some = new Map([...values.parameters].filter(([name]) => listed.has(name)));
        const both = [values, { ...values, parameters: some }].map((given) =>
          fillParameters([object({ data })], given),
        );
        expect(both[1]).toEqual(both[0]);
      }),
    );
  });
});

/** The value without its scalars. */
function shapeOf(value: JsonValue): unknown {
  if (isJsonList(value)) return value.map(shapeOf);
  if (!isJsonObject(value)) return "scalar";
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

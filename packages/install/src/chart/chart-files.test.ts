import { fieldsOf, type JsonSchema } from "@bowline/api";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { sampleSettings } from "../testing/sample-settings.ts";
import { defaultValues, valuesSchema } from "../values/parse-values.ts";
import { chartFiles } from "./chart-files.ts";

const files = chartFiles({ version: "1.2.3", settings: sampleSettings });
const templates = [...files].filter(([path]) => path.startsWith("templates/")).map(([, content]) => content);
const used = new Set(
  templates.flatMap((text) => [...text.matchAll(/\$\.Values\.([\w.]+)/gu)].map(([, path = ""]) => path)),
);

function fileAt(path: string): string {
  return files.get(path) ?? "";
}

describe("the chart", () => {
  test("has a template for each object, notes, values and a schema", () => {
    expect([...files.keys()].toSorted()).toEqual([
      "Chart.yaml",
      "README.md",
      "templates/NOTES.txt",
      "templates/certificate.yaml",
      "templates/deployment.yaml",
      "templates/ingress.yaml",
      "templates/network-policy.yaml",
      "templates/pod-disruption-budget.yaml",
      "templates/service-account.yaml",
      "templates/service-headless.yaml",
      "templates/service-monitor.yaml",
      "templates/service.yaml",
      "templates/stateful-set.yaml",
      "templates/tls-route.yaml",
      "values.schema.json",
      "values.yaml",
    ]);
    expect(parse(fileAt("Chart.yaml"))).toMatchObject({
      name: "bowline",
      version: "1.2.3",
      appVersion: "1.2.3",
    });
  });

  test("has values that are the defaults, each with a sentence above it", () => {
    expect(parse(fileAt("values.yaml"), { version: "1.1" })).toEqual(defaultValues(sampleSettings));
    const lines = fileAt("values.yaml").split("\n");
    const bare = lines.filter(
      (line, index) => /^ *[a-z]\w*:/iu.test(line) && !/^ *#/u.test(lines[index - 1] ?? ""),
    );
    // Values inside of maps, which are not ours to explain.
    expect(bare.map((line) => line.trim())).toEqual(["cpu: 100m", "memory: 256Mi", "memory: 1Gi"]);
  });

  test("uses every value, and none that is not there", () => {
    const fields = fieldsOf(valuesSchema(sampleSettings)).map(({ path }) => path);
    const isUsed = (path: string): boolean =>
      [...used].some((each) => path === each || path.startsWith(`${each}.`));
    const leaves = fields.filter(
      (path) => !path.includes("[]") && !fields.some((other) => other.startsWith(`${path}.`)),
    );
    expect(leaves.filter((path) => !isUsed(path))).toEqual(["global"]);
    expect([...used].filter((path) => !fields.includes(path))).toEqual([]);
  });

  test("looks nothing up, makes nothing up, and has no hooks", () => {
    for (const text of templates) expect(text).not.toMatch(/lookup|rand|genCA|uuid|now|helm\.sh\/hook|tpl/u);
  });

  test("has a schema that refuses unknown keys everywhere", () => {
    const open: string[] = [];
    const look = (schema: JsonSchema, path: string): void => {
      if (schema.type === "object" && schema.additionalProperties === undefined) open.push(path);
      for (const [name, field] of Object.entries(schema.properties ?? {})) look(field, `${path}.${name}`);
      if (schema.items !== undefined) look(schema.items, `${path}[]`);
    };
    const schema: JsonSchema = JSON.parse(fileAt("values.schema.json"));
    look(schema, "");
    expect(open).toEqual([]);
    expect(fileAt("values.schema.json")).not.toMatch(/"x-/u);
    expect(schema.required).toContain("settings");
  });
});

import { describe, expect, it } from "vitest";
import { builtinSchema } from "./builtin.ts";
import { checkTypes } from "./check-types.ts";
import type { JsonObject } from "./json-value.ts";

function check(group: string, kind: string, object: JsonObject): void {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  checkTypes(object, schema, { apiVersion: group === "" ? "v1" : `${group}/v1`, kind });
}

describe("reading an object into its type", () => {
  it.each([
    ["a text for a number", { spec: { replicas: "three" } }, "spec.replicas"],
    ["a fraction for a whole number", { spec: { replicas: 1.5 } }, "spec.replicas"],
    ["a number too large", { spec: { replicas: 2 ** 40 } }, "spec.replicas"],
    ["a list for an object", { spec: [] }, "spec"],
    [
      "an object for a list",
      { spec: { template: { spec: { containers: {} } } } },
      "spec.template.spec.containers",
    ],
    ["a number for a label", { metadata: { labels: { a: 1 } } }, "metadata.labels"],
    ["a text for a truth", { spec: { paused: "true" } }, "spec.paused"],
    ["no time", { metadata: { creationTimestamp: "yesterday" } }, "metadata.creationTimestamp"],
    [
      "no amount",
      { spec: { template: { spec: { overhead: { cpu: "much" } } } } },
      "spec.template.spec.overhead",
    ],
  ])("fails for %s", (_name, object, field) => {
    expect(() => check("apps", "Deployment", object)).toThrow(
      expect.objectContaining({
        code: 400,
        reason: "BadRequest",
        message: expect.stringMatching(
          `^Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal .* field ${field} `,
        ),
      }),
    );
  });

  it("takes what fits: nulls, numbers or texts where either will do, fields nobody knows", () => {
    const maxSurge = { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } };
    const deployment = { spec: { replicas: null, strategy: maxSurge, bogus: {} } };
    expect(() => check("apps", "Deployment", deployment)).not.toThrow();
    const pod = {
      spec: { containers: [{ resources: { limits: { cpu: 1, memory: "1.5Gi", x: "1e3" } } }] },
    };
    expect(() => check("", "Pod", pod)).not.toThrow();
  });

  it("checks that secrets are encoded", () => {
    expect(() => check("", "Secret", { data: { a: "eA==" } })).not.toThrow();
    expect(() => check("", "Secret", { data: { a: "!!" } })).toThrow(expect.objectContaining({ code: 400 }));
  });
});

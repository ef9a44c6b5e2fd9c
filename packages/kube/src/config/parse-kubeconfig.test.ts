import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { mergeKubeconfigs, parseKubeconfig } from "./parse-kubeconfig.ts";
import { resolveContext } from "./resolve-context.ts";

/** The error that is thrown, if one is. */
function failureOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Only our own errors come out, whatever comes in. */
function isClean(text: string, context?: string): boolean {
  const failure = failureOf(() => resolveContext(parseKubeconfig(text, "config"), context));
  return failure === undefined || failure instanceof BowlineError;
}

describe("robustness", () => {
  it("throws nothing but BowlineError at any text", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), yamlSoup());
    expect(fc.check(fc.property(text, (each) => isClean(each)))).toMatchObject({ failed: false });
  });

  it("throws nothing but BowlineError at documents of the right shape with wrong values", () => {
    const property = fc.property(almostKubeconfig(), (document) => isClean(stringify(document), "c"));
    expect(fc.check(property, { numRuns: 300 })).toMatchObject({ failed: false });
  });

  it("survives nesting deeper than the stack", () => {
    expect(isClean("[".repeat(100_000))).toBe(true);
  });

  it("refuses a file that is far too long before it parses it", () => {
    expect(() => parseKubeconfig("#".repeat(5 * 1024 * 1024), "config")).toThrow("is longer than");
  });
});

describe("merging", () => {
  const file = fc.record({
    current: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
    users: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }),
  });

  it("takes every name from the first file that has it", () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 5 }), (files) => {
        const merged = mergeKubeconfigs(
          files.map(({ current, users }, index) =>
            parseKubeconfig(
              stringify({
                "current-context": current,
                users: users.map((name) => ({ name, user: { token: "t" } })),
              }),
              `file-${index}`,
            ),
          ),
        );
        expect(merged.currentContext).toBe(files.find(({ current }) => current !== undefined)?.current);
        for (const name of ["a", "b", "c", "d"] as const) {
          const owner = files.findIndex(({ users }) => users.includes(name));
          expect(merged.users.get(name)?.file).toBe(owner === -1 ? undefined : `file-${owner}`);
        }
      }),
    );
  });
});

/** Text made of the pieces YAML parsers trip over. */
function yamlSoup(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ..."- |? |: |{|}|[|]|&a |*a|!!binary |<<: |---\n|\n|  |'|\"|#|%TAG |>|@|`|\t|clusters:|users:|name: x|~|\0".split(
      "|",
    ),
  );
  return fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
}

function almostKubeconfig(): fc.Arbitrary<unknown> {
  const anything = fc.anything({ maxDepth: 2, withNullPrototype: false, withBigInt: false });
  const member = (names: readonly string[]): fc.Arbitrary<unknown> =>
    fc.oneof(fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.constant("c"), anything)), anything);
  const list = (name: string, fields: readonly string[]): fc.Arbitrary<unknown> =>
    fc.oneof(
      fc.array(fc.record({ name: fc.constant("c"), [name]: member(fields) }), { maxLength: 1 }),
      anything,
    );
  return fc.record({
    "current-context": fc.oneof(fc.constant("c"), anything),
    contexts: fc.constant([{ name: "c", context: { cluster: "c", user: "c" } }]),
    clusters: list("cluster", ["server", "certificate-authority-data", "proxy-url", "extensions"]),
    users: list("user", ["token", "exec", "as", "as-groups", "as-user-extra", "client-key", "auth-provider"]),
  });
}

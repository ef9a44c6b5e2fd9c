import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { healthFacts } from "./facts/health-facts.ts";
import { judge } from "./judge.ts";

/**
 * A folder of objects from real clusters, and `expected.json` with what another tool says of each. It is not part of the
 * project; without it these tests are skipped.
 */
const folder = process.env["HEALTH_FIXTURES"];

interface Compared {
  readonly file: string;
  readonly theirs: string;
  readonly ours: string;
  readonly why: string;
}

function compare(root: string, group: string): Compared[] {
  const expected: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(root, "expected.json"), "utf8"),
  );
  return Object.entries(expected)
    .filter(([file]) => file.startsWith(`${group}/`))
    .map(([file, theirs]) => {
      // One of the files has a key twice.
      const object: unknown = parse(readFileSync(join(root, file), "utf8"), { uniqueKeys: false });
      const { health: ours, reason, message } = judge(healthFacts(object));
      return { file, theirs, ours, why: `${reason}: ${message}` };
    });
}

describe.skipIf(folder === undefined)(
  "objects of the folder in HEALTH_FIXTURES (skipped where it is not set)",
  () => {
    test("every built-in kind is judged as the other tool does", () => {
      const compared = compare(folder ?? "", "builtin");
      expect(compared.length).toBeGreaterThan(0);
      expect(compared.filter(({ ours, theirs }) => ours !== theirs)).toEqual([]);
    });

    test("at least 85 % of the custom resources are", () => {
      const compared = compare(folder ?? "", "custom");
      const different = compared.filter(({ ours, theirs }) => ours !== theirs);
      const lines = different.map(
        ({ file, theirs, ours, why }) => `${file}: ${theirs}, ours ${ours} (${why})`,
      );
      console.info(`${compared.length - different.length} of ${compared.length} agree\n${lines.join("\n")}`);
      expect(different.length).toBeLessThanOrEqual(compared.length * 0.15);
    });
  },
);

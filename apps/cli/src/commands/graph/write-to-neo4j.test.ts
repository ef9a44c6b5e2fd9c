import { expect, test } from "vitest";

import { statementsOf } from "./write-to-neo4j.ts";

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const script = [
  '// cluster: "edge"',
  "CREATE CONSTRAINT one;",
  "UNWIND [",
  String.raw`{name: "a;\n// é"},`,
  '{name: "b;"}',
  "] AS row MERGE (n);",
  "// withheld: 0",
  "",
].join("\n");

test.each([1, 7, 10_000])(
  "a script that comes in pieces of %i bytes is run statement by statement",
  async (size) => {
    const statements: string[] = [];
    for await (const statement of statementsOf(chunks(script, size))) statements.push(statement);
    expect(statements).toEqual([
      "CREATE CONSTRAINT one",
      ["UNWIND [", String.raw`{name: "a;\n// é"},`, '{name: "b;"}', "] AS row MERGE (n)"].join("\n"),
    ]);
  },
);

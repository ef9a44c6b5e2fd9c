import { Token } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { parseManifests } from "./read-manifests.ts";
import { writeManifests } from "./write-manifests.ts";

test("a failure that is not about one object ends it, and what was issued before is still shown", async () => {
  const text = ["a", "b", "c"].map((name) => `kind: Token\nmetadata: {name: ${name}}\n`).join("---\n");
  const manifests = parseManifests({ source: "tokens.yaml", text });
  const context = fakeContext({ client: {} });
  const asked: string[] = [];
  const written = writeManifests(context, manifests, {
    dryRun: false,
    output: "json",
    write: async ({ name }) => {
      asked.push(name);
      if (name === "b") throw new BowlineError("ConnectionFailed", "The server is gone.");
      return {
        outcome: "created",
        object: { kind: Token.kind, metadata: { name }, status: { secret: "issued" } },
      };
    },
  });
  await expect(written).rejects.toMatchObject({
    code: "ConnectionFailed",
    message: "tokens.yaml, document 2, line 4: token/b: The server is gone.",
  });
  expect(asked).toEqual(["a", "b"]);
  expect(JSON.parse(context.terminal.written)).toMatchObject({ status: { secret: "issued" } });
});

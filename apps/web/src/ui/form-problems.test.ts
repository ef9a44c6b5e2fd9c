import { expect, test } from "vitest";

import { readFailure } from "../live/failure.ts";
import { formProblems, type FieldPaths } from "./form-problems.ts";

const paths: FieldPaths<"args" | "spec" | "name"> = [
  ["metadata.name", "name"],
  ["spec.exec", "spec"],
  ["spec.exec.args", "args"],
];

function refused(...fields: { path: string; message: string }[]): ReturnType<typeof readFailure> {
  return readFailure(
    422,
    JSON.stringify({ error: { code: "Invalid", message: "It is not valid.", fields } }),
  );
}

test("a problem is told at the field that it is about, and the refusal with what is left", () => {
  const failure = refused(
    { path: "spec.exec.args[1]", message: "must be a single line" },
    { path: "spec.exec.args", message: "must have at most 50 items" },
    { path: "spec.exec.command", message: "is required" },
  );
  expect(formProblems(failure, paths)).toEqual({
    at: new Map([
      ["args", "It must be a single line. It must have at most 50 items."],
      ["spec", "It is required."],
    ]),
    failure: undefined,
  });
  const other = { path: "spec.execute", message: "is not known" };
  const mixed = formProblems(refused({ path: "metadata.name", message: "is required" }, other), paths);
  expect([...mixed.at]).toEqual([["name", "It is required."]]);
  expect(mixed.failure?.fields).toEqual([other]);
});

test("a refusal that is about no field stays whole", () => {
  const failure = readFailure(
    409,
    JSON.stringify({ error: { code: "Conflict", message: "It is not available." } }),
  );
  expect(formProblems(failure, paths).failure?.message).toBe("It is not available.");
  expect(formProblems(undefined, paths).failure).toBeUndefined();
});

import { expect, test } from "vitest";

import { invalidError } from "./report.ts";

test("the sentence names the first problem, and the details hold all", () => {
  const problems = [
    { path: "spec.prune", message: "must be true or false, not a string" },
    { path: "spec.x", message: "is an unknown field" },
  ];
  const error = invalidError("The WorkloadInstance «web»", problems);
  expect(error).toMatchObject({ code: "Invalid", details: { fields: problems } });
  expect(error.message).toBe(
    "The WorkloadInstance «web» is not valid: spec.prune must be true or false, not a string (and 1 more).",
  );
});

test("a problem of the whole body has no path to name", () => {
  const error = invalidError("The body", [{ path: "", message: "must be an object, not a list" }]);
  expect(error.message).toBe("The body is not valid: it must be an object, not a list.");
});

import { expect, it } from "vitest";
import { testPrograms } from "./test-programs.ts";

it("names every program and every package once", () => {
  for (const key of ["program", "debianPackage", "homebrewFormula"] as const) {
    const names = testPrograms.map((each) => each[key]);
    expect(new Set(names).size).toBe(names.length);
  }
});

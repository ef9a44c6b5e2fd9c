import { expect, it } from "vitest";
import { clusterPrograms } from "./cluster-programs.ts";

it("names every package once", () => {
  const packages = Object.values(clusterPrograms).flatMap((programs) =>
    programs.map(({ debianPackage }) => debianPackage),
  );
  expect(new Set(packages).size).toBe(packages.length);
});

import { kinds } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { parseResources, resourceName } from "./resource.ts";

function parsed(...args: string[]): string[] {
  const wanted = parseResources(args);
  return wanted.by === "name" ? wanted.resources.map(resourceName) : wanted.kinds.map(({ plural }) => plural);
}

describe("parseResources", () => {
  test.each([
    [["clusters"], ["clusters"]],
    [["CL"], ["clusters"]],
    [["cl,wi,clusters"], ["clusters", "workloadinstances"]],
    [
      ["cluster", "a", "b", "a"],
      ["cluster/a", "cluster/b"],
    ],
    [
      ["cl,wd", "a"],
      ["cluster/a", "workloaddefinition/a"],
    ],
    [
      ["wi/a", "cluster/b"],
      ["workloadinstance/a", "cluster/b"],
    ],
    [["all"], kinds.map(({ plural }) => plural)],
  ])("reads %j", (args, expected) => {
    expect(parsed(...args)).toEqual(expected);
  });

  test.each([
    [[], "Say which kind: clusters,"],
    [["clutsers"], "did you mean «clusters»?"],
    [["clusters,"], "There is no kind «»"],
    [["cluster", "a/b", "c"], "«cluster» is not KIND/NAME; give KIND NAME… or KIND/NAME…, not both."],
    [["cluster/a/b"], "is not KIND/NAME"],
    [["clutser/a"], "did you mean «cluster»?"],
    [["cluster/"], "«» is no name of an object"],
    [["cluster", ".."], "«..» is no name of an object"],
    [["cluster", "\u001B[2J"], String.raw`«\u001b[2J» is no name`],
  ])("refuses %j", (args, message) => {
    expect(() => parsed(...args)).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining(message) }),
    );
  });
});

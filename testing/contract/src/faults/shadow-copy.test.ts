import { describe, expect, it } from "vitest";

import { differences, ShadowCopy, type Version } from "./shadow-copy.ts";

const at = (resourceVersion: number, uid = "one"): Version => ({ name: "a", uid, resourceVersion });

describe("ShadowCopy", () => {
  it("accepts a life from its beginning to its end, and another one after it", () => {
    const shadow = new ShadowCopy();
    shadow.add(at(1));
    shadow.update(at(1), at(2));
    shadow.delete(at(3));
    shadow.add(at(4, "two"));
    expect(shadow.broken).toEqual([]);
    expect([...shadow.objects.values()]).toEqual([at(4, "two")]);
  });

  it.each<[string, (shadow: ShadowCopy) => void, string]>([
    ["an object that is added twice", (shadow) => shadow.add(at(2)), "a was added a second time"],
    [
      "an update of a state nobody saw",
      (shadow) => shadow.update(at(2), at(3)),
      "from a state that was never told",
    ],
    ["an update that is delivered again", (shadow) => shadow.update(at(1), at(1)), "a went from 1 to 1"],
    ["an update that goes back", (shadow) => shadow.update(at(1), at(0)), "a went from 1 to 0"],
    [
      "an object that becomes another",
      (shadow) => shadow.update(at(1), at(2, "two")),
      "became another object",
    ],
    [
      "the deletion of another object",
      (shadow) => shadow.delete(at(2, "two")),
      "was deleted as another object",
    ],
  ])("complains of %s", (_, tell, complaint) => {
    const shadow = new ShadowCopy();
    shadow.add(at(1));
    tell(shadow);
    expect(shadow.broken).toEqual([expect.stringContaining(complaint)]);
  });

  it("complains of what comes after the end", () => {
    const shadow = new ShadowCopy();
    shadow.delete(at(1));
    shadow.update(at(1), at(2));
    expect(shadow.broken).toEqual(["a was deleted and not there", "a was updated and never added"]);
  });
});

describe("differences", () => {
  it("finds what is missing, old or left over", () => {
    const b = { ...at(1), name: "b" };
    expect(differences([at(1)], [at(1)])).toEqual([]);
    expect(differences([], [at(1)])).toEqual(["a is missing"]);
    expect(differences([at(1)], [at(2)])).toEqual(["a is at 1, not 2"]);
    expect(differences([at(1), b], [at(1)])).toEqual(["b is there and should not be"]);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  difference,
  emptySet,
  type FieldSet,
  has,
  intersection,
  isEmpty,
  node,
  paths,
  setsEqual,
  sorted,
  union,
} from "./field-set.ts";

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"c"}', 'v:"d"');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const pathList = fc.array(path, { maxLength: 8 });

function setOf(members: readonly (readonly string[])[]): FieldSet {
  return members.reduce((set, member) => union(set, single(member)), emptySet);
}

function single([first = "", ...rest]: readonly string[]): FieldSet {
  return { [first]: rest.length === 0 ? emptySet : single(rest) };
}

function membersOf(set: FieldSet): Set<string> {
  return new Set([...paths(set)].map((member) => JSON.stringify(member)));
}

describe("a set of fields", () => {
  it("is written as FieldsV1 is: a node without keys is a member, one with keys only if it holds a dot", () => {
    expect(setOf([["f:spec"], ["f:spec", "f:a"], ["f:status", "f:b"]])).toEqual({
      "f:spec": { ".": {}, "f:a": {} },
      "f:status": { "f:b": {} },
    });
    expect(node(false, emptySet)).toBeUndefined();
  });

  it("behaves as a set of paths", () => {
    fc.assert(
      fc.property(pathList, pathList, (left, right) => {
        const [leftSet, rightSet] = [setOf(left), setOf(right)];
        const [leftMembers, rightMembers] = [membersOf(leftSet), membersOf(rightSet)];
        expect(leftMembers).toEqual(new Set(left.map((member) => JSON.stringify(member))));
        expect(membersOf(union(leftSet, rightSet))).toEqual(leftMembers.union(rightMembers));
        expect(membersOf(intersection(leftSet, rightSet))).toEqual(leftMembers.intersection(rightMembers));
        expect(membersOf(difference(leftSet, rightSet))).toEqual(leftMembers.difference(rightMembers));
        for (const member of left) expect(has(leftSet, member)).toBe(true);
        for (const member of right)
          expect(has(leftSet, member)).toBe(leftMembers.has(JSON.stringify(member)));
      }),
    );
  });

  it("is empty when its last member is gone, whatever nodes there were", () => {
    fc.assert(
      fc.property(pathList, (members) => {
        const set = setOf(members);
        expect(isEmpty(difference(set, set))).toBe(true);
      }),
    );
  });

  it("can be sorted without becoming another set", () => {
    fc.assert(
      fc.property(pathList, (members) => {
        const set = setOf(members);
        expect(setsEqual(sorted(set), set)).toBe(true);
        expect(Object.keys(sorted(set))).toEqual(Object.keys(set).toSorted());
      }),
    );
  });
});

import { asRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { givenValues } from "./given-values.ts";

describe("--set", () => {
  test.each<[string, unknown]>([
    ["a=b", { a: "b" }],
    ["a=1,b=-7,c=0,d=007,e=1.5", { a: 1, b: -7, c: 0, d: "007", e: "1.5" }],
    ["a=true,b=False,c=null,d=", { a: true, b: false, c: null, d: "" }],
    ["a.b.c=d,a.b.e=f", { a: { b: { c: "d", e: "f" } } }],
    ["a={x,y,3}", { a: ["x", "y", 3] }],
    ["a={},b=1", { a: [], b: 1 }],
    ["a[0]=x,a[1]=y", { a: ["x", "y"] }],
    ["a[0].b=x,a[0].c=y", { a: [{ b: "x", c: "y" }] }],
    ["a[0][0]=x", { a: [["x"]] }],
    ["a=b=c", { a: "b=c" }],
    ["a=x\\,y,b\\.c=z", { a: "x,y", "b.c": "z" }],
    ["a={x\\,y,z}", { a: ["x,y", "z"] }],
    ["a=12345678901234567890", { a: "12345678901234567890" }],
  ])("%s", (text, values) => {
    expect(givenValues({ set: [text] })).toEqual(values);
  });

  test.each([
    "",
    "a",
    "a.b",
    "=b",
    "a..b=1",
    "a[x]=1",
    "a[0=1",
    "a[0]b=1",
    "a={x",
    "a={x}y",
    "a[5]=1",
    "a,b=1",
  ])("%j is refused", (text) => {
    expect(() => givenValues({ set: [text] })).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });

  test("as a text leaves what looks like something else", () => {
    expect(givenValues({ setString: ["a=1,b=true,c={1,null}"] })).toEqual({
      a: "1",
      b: "true",
      c: ["1", "null"],
    });
  });
});

describe("values", () => {
  test("of later files are stronger than those of earlier ones, and flags are strongest", () => {
    expect(
      givenValues({
        files: [{ a: { b: 1, c: 1 }, l: [1, 2] }, null, { a: { b: 2 }, l: [3] }],
        set: ["a.d=3", "l[1]=4"],
        setString: ["a.c=5"],
      }),
    ).toEqual({ a: { b: 2, c: "5", d: 3 }, l: [3, 4] });
  });

  test("that are null stay, to take a default away", () => {
    expect(givenValues({ files: [{ a: { b: 1 } }, { a: { b: null } }], set: ["c=null"] })).toEqual({
      a: { b: null },
      c: null,
    });
  });

  test("cannot reach the prototype of anything", () => {
    const values = givenValues({ set: ["__proto__.polluted=yes"] });
    expect(Object.keys(asRecord(values))).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
  });
});

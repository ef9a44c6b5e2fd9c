import { expect, it } from "vitest";
import { OutputTail } from "./output-tail.ts";

it("keeps the last lines only", () => {
  const tail = new OutputTail(3);
  tail.push(Buffer.from("1\n2\n3\n4\n5\n"));
  expect(tail.lines()).toEqual(["3", "4", "5"]);
  expect(tail.lines(1)).toEqual(["5"]);
});

it("joins a line, and a character, that comes in pieces", () => {
  const tail = new OutputTail();
  const bytes = Buffer.from("première ligne\nsec");
  for (const byte of bytes) tail.push(Buffer.from([byte]));
  expect(tail.lines()).toEqual(["première ligne", "sec"]);
});

it("cuts lines that never end", () => {
  const tail = new OutputTail();
  for (let chunk = 0; chunk < 100; chunk++) tail.push(Buffer.alloc(10_000, "x"));
  expect(tail.lines().join("").length).toBeLessThan(10_000);
});

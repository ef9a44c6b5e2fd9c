import { expect, test } from "vitest";

import { chooseParameters, type DeclaredParameter } from "./parameters.ts";

const declared: readonly DeclaredParameter[] = [
  { name: "replicas", type: "integer", default: "2", required: false },
  { name: "host", type: "string", required: true },
  { name: "debug", type: "boolean", required: false },
];

test("an instance chooses values, and what it does not choose has its default or is missing", () => {
  const { values, problems } = chooseParameters(declared, { host: "shop.example" });
  expect([...values]).toEqual([
    ["replicas", { type: "integer", text: "2" }],
    ["host", { type: "string", text: "shop.example" }],
  ]);
  expect(problems).toEqual([]);
  expect(chooseParameters(declared, { host: "", replicas: "3" }).values.get("replicas")?.text).toBe("3");
});

test("everything that is wrong with chosen values is told at once", () => {
  expect(chooseParameters(declared, { replica: "3", debug: "yes" }).problems).toEqual([
    "The parameter replica is not declared; did you mean «replicas»?",
    "The parameter host has to be given a value.",
    "The parameter debug must be true or false.",
  ]);
});

test("a parameter that is called like a part of every object is none that was given", () => {
  const { values, problems } = chooseParameters([{ name: "toString", type: "string", required: true }], {});
  expect([values.size, problems]).toEqual([0, ["The parameter toString has to be given a value."]]);
});

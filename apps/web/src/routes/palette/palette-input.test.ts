import { expect, test } from "vitest";

import { matchRank, narrowedInput, ranked, readPaletteInput, readQuestion } from "./palette-input.ts";

test.each([
  ["web", { mode: "all", text: "web" }],
  ["  web 1 ", { mode: "all", text: "web 1" }],
  [":pod", { mode: "kind", text: "pod" }],
  [":pod web", { mode: "all", text: "web", kind: "pod" }],
  ["@ed", { mode: "cluster", text: "ed" }],
  ["@edge :pod web", { mode: "all", text: "web", kind: "pod", cluster: "edge" }],
  ["@edge :po", { mode: "kind", text: "po", cluster: "edge" }],
  ["#app=web", { mode: "label", text: "app=web" }],
  ["@edge #app=web", { mode: "label", text: "app=web", cluster: "edge" }],
  ["? who can get secrets", { mode: "question", text: "who can get secrets" }],
  [">sign", { mode: "action", text: "sign" }],
  ["", { mode: "all", text: "" }],
  ["@ web", { mode: "all", text: "web" }],
])("%j means %j", (typed, meant) => {
  expect(readPaletteInput(typed)).toEqual(meant);
});

test("narrowing keeps what was narrowed before, but for the same", () => {
  expect(narrowedInput("ed", "@", "edge")).toBe("@edge ");
  expect(narrowedInput("@edge po", ":", "Pod")).toBe("@edge :Pod ");
  expect(narrowedInput("@edge :Pod @cl", "@", "cloud")).toBe(":Pod @cloud ");
});

test("the same comes before a beginning, that before a word, that before a part", () => {
  expect(["web", "web-1", "shop-web", "cobweb", "api"].map((name) => matchRank(name, "web"))).toEqual([
    0,
    1,
    2,
    3,
    undefined,
  ]);
  expect(ranked(["cobweb", "shop-web", "api", "web"], "web", (name) => name)).toEqual([
    "web",
    "shop-web",
    "cobweb",
  ]);
  expect(ranked(["b", "a"], "", (name) => name)).toEqual(["b", "a"]);
});

test.each([
  ["who can get secrets in shop", "who-can", { verb: "get", resource: "secrets", namespace: "shop" }],
  [
    "who can create pods/exec on edge?",
    "who-can",
    { verb: "create", resource: "pods/exec", cluster: "edge" },
  ],
  ["what can sa:shop/web do", "what-can", { subject: "sa:shop/web" }],
  ["who uses Secret/shop/db", "uses", { node: "Secret/shop/db" }],
  ["what breaks if Node//worker-1 goes", "blast-radius", { node: "Node//worker-1" }],
  ["where does nginx run", "images", { image: "nginx" }],
  [
    "path from Ingress/shop/web to Secret/shop/db",
    "path",
    { from: "Ingress/shop/web", to: "Secret/shop/db" },
  ],
])("%j is a question", (line, name, parameters) => {
  expect(readQuestion(line)).toEqual({ name, parameters });
});

test("what is none is none", () => {
  expect(["", "who", "who can get", "tell me a joke"].map(readQuestion)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

import { describe, expect, test } from "vitest";

import { chooseClass, defaultClass } from "./choose-class.ts";

const cluster = "prod";

function gatewayClass(name: string, annotations: Record<string, string> = {}) {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name, annotations },
    spec: { controllerName: "example.com/controller" },
  };
}

const marked = { [defaultClass]: "true" };

describe("chooseClass", () => {
  test.each([
    ["the one that is named", ["a", "b"], "b", "b"],
    ["the only one", ["a"], undefined, "a"],
  ])("takes %s", (_, names, wanted, expected) => {
    const classes = names.map((name) => gatewayClass(name));
    expect(chooseClass(classes, { wanted, cluster })).toMatchObject({ name: expected });
  });

  test("takes the one that is marked", () => {
    const classes = [gatewayClass("a"), gatewayClass("b", marked)];
    expect(chooseClass(classes, { wanted: undefined, cluster })).toMatchObject({ name: "b" });
  });

  test.each([
    [
      "there is none",
      [],
      undefined,
      "Cluster prod has no GatewayClass: nothing there answers for a Gateway.",
    ],
    ["the one named is not there", [gatewayClass("a")], "b", "Cluster prod has no GatewayClass b; it has a."],
    [
      "there are several",
      [gatewayClass("b"), gatewayClass("a")],
      undefined,
      /none of .* is marked .*it has a, b/,
    ],
    [
      "two are marked",
      [gatewayClass("a", marked), gatewayClass("b", marked)],
      undefined,
      /several .*\(a, b\)/,
    ],
  ])("says that %s", (_, classes, wanted, message) => {
    const found = chooseClass(classes, { wanted, cluster });
    expect("message" in found && found.message).toMatch(message);
  });
});

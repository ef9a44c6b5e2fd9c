import { expect, test } from "vitest";

import { exposeForm, gatewayBody } from "./expose-form.ts";

test("begins as the command line does, with the name of the workload", () => {
  expect(gatewayBody("shop", { ...exposeForm("shop"), hosts: "shop.example.com" })).toEqual({
    metadata: { name: "shop" },
    spec: {
      instance: "shop",
      hosts: ["shop.example.com"],
      rules: [{ path: "/", service: "shop", port: 80 }],
      tls: { mode: "terminate" },
    },
  });
});

test("takes hosts with commas, spaces or in lines, and leaves what is no port to the server", () => {
  const form = {
    ...exposeForm("shop"),
    hosts: "a.example.com, b.example.com\na.example.com\n",
    port: "http",
    path: " ",
  };
  const { spec } = gatewayBody("shop", form);
  expect(spec.hosts).toEqual(["a.example.com", "b.example.com"]);
  expect(spec.rules).toEqual([{ path: "/", service: "shop", port: "http" }]);
});

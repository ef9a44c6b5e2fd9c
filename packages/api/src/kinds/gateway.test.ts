import { describe, expect, test } from "vitest";

import { problemsOf } from "../testing/problems-of.ts";
import { Gateway } from "./gateway.ts";

describe("a Gateway", () => {
  const rule = { service: "web", port: 80 };
  const least = { instance: "web", hosts: ["shop.example.com"], rules: [rule] };

  test.each([
    ["of several paths", { rules: [rule, { ...rule, path: "/api" }] }],
    ["of methods of one path", { rules: [{ ...rule, methods: ["GET"] }, rule] }],
    ["of a wildcard", { hosts: ["*.example.com"] }],
    ["with a certificate that somebody keeps", { tls: { certificate: "secret", secret: "shop-tls" } }],
    ["with an issuer", { tls: { issuer: "letsencrypt" } }],
    ["without encryption", { tls: { mode: "none" } }],
    ["passed through", { tls: { mode: "passthrough" } }],
  ])("may be %s", (_, spec) => {
    expect(problemsOf(Gateway, { ...least, ...spec })).toEqual([]);
  });

  test.each([
    [
      { rules: [rule, { ...rule, path: "/api" }, { ...rule, path: "/api/" }] },
      ["spec.rules[2] has the same path and method as a rule before it, /api"],
    ],
    [
      {
        rules: [
          { ...rule, methods: ["GET"] },
          { ...rule, methods: ["POST", "GET"] },
        ],
      },
      ["spec.rules[1] has the same path and method as a rule before it, /"],
    ],
    [
      { tls: { mode: "passthrough" }, rules: [{ ...rule, path: "/api" }] },
      ["spec.rules[0] must have the path / and no methods when spec.tls.mode is passthrough"],
    ],
    [
      { tls: { mode: "passthrough" }, rules: [rule, { ...rule, path: "/api" }] },
      ["spec.rules must be one when spec.tls.mode is passthrough"],
    ],
    [
      { tls: { mode: "none", redirect: true } },
      ["spec.tls must have nothing else when spec.tls.mode is none"],
    ],
    [{ tls: { certificate: "secret" } }, ["spec.tls.secret is required when spec.tls.certificate is secret"]],
    [
      { tls: { secret: "shop-tls" } },
      ["spec.tls.secret is only allowed when spec.tls.certificate is secret"],
    ],
    [
      { tls: { certificate: "selfSigned", issuer: "letsencrypt" } },
      ["spec.tls.issuer is only allowed when spec.tls.certificate is auto"],
    ],
    [
      { hosts: ["shop.example.com:8443"] },
      ["spec.hosts[0] must be a host name in lower case such as shop.example.com or *.example.com"],
    ],
    [
      { hosts: ["10.0.0.1"] },
      ["spec.hosts[0] must be a host name in lower case such as shop.example.com or *.example.com"],
    ],
    [
      { rules: [{ ...rule, path: "/api?x=1" }] },
      [
        "spec.rules[0].path must be a path such as / or /shop/api, without a query, and without . and .. as elements",
      ],
    ],
    [
      {
        rules: ["/a/../b", "/./a", "/a/..", "/.well-known/", "/a..b", "/..."].map((path) => ({
          ...rule,
          path,
        })),
      },
      [0, 1, 2].map(
        (index) =>
          `spec.rules[${index}].path must be a path such as / or /shop/api, without a query, and without . and .. as elements`,
      ),
    ],
  ])("may not be %j", (spec, problems) => {
    expect(problemsOf(Gateway, { ...least, ...spec })).toEqual(problems);
  });
});

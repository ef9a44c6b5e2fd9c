import { describe, expect, test } from "vitest";

import { chooseConnection, type ChoiceOptions } from "./choose-connection.ts";
import { ConfigDocument } from "./config-document.ts";

const config = new ConfigDocument(
  `currentContext: prod
contexts:
  - {name: prod, server: "https://prod.example", token: prod-token, caPem: prod-ca}
  - {name: dev, server: "https://dev.example", tokenFile: /dev-token}
`,
  "config.yaml",
);
const empty = new ConfigDocument("", "config.yaml");

function choose(options: Partial<ChoiceOptions>): object {
  const { server, token, ca } = chooseConnection({ globals: {}, environment: {}, config, ...options });
  return { server, token, ca };
}

const prod = { server: "https://prod.example", token: { value: "prod-token" }, ca: { pem: "prod-ca" } };

describe("which server a command talks to, and as whom", () => {
  test("that of the current context", () => {
    expect(choose({})).toEqual(prod);
  });

  test("that of another context, whatever the environment says", () => {
    const environment = { BOWLINE_SERVER: "https://env.example", BOWLINE_TOKEN: "env-token" };
    expect(choose({ globals: { context: "dev" }, environment })).toEqual({
      server: "https://dev.example",
      token: { file: "/dev-token" },
      ca: undefined,
    });
  });

  test("that of the context the environment names", () => {
    expect(choose({ environment: { BOWLINE_CONTEXT: "dev" } })).toMatchObject({
      server: "https://dev.example",
    });
  });

  test("that of the environment, which needs no configuration", () => {
    const environment = {
      BOWLINE_SERVER: "https://env.example",
      BOWLINE_TOKEN: "env-token",
      BOWLINE_CA_FILE: "/ca",
    };
    const expected = { server: "https://env.example", token: { value: "env-token" }, ca: { file: "/ca" } };
    expect(choose({ environment, config: empty })).toEqual(expected);
    expect(choose({ environment })).toEqual(expected);
  });

  test("that of the flags, which are stronger than all", () => {
    const environment = {
      BOWLINE_SERVER: "https://env.example",
      BOWLINE_TOKEN: "env-token",
      BOWLINE_CA_FILE: "/ca",
    };
    const globals = { server: "https://flag.example", tokenFile: "/flag-token", caFile: "/flag-ca" };
    expect(choose({ globals, environment })).toEqual({
      server: "https://flag.example",
      token: { file: "/flag-token" },
      ca: { file: "/flag-ca" },
    });
  });

  test("another token for the same server", () => {
    expect(choose({ environment: { BOWLINE_TOKEN: "env-token" } })).toEqual({
      ...prod,
      token: { value: "env-token" },
    });
  });
});

test("a context's token and authorities never go to another server", () => {
  expect(choose({ globals: { server: "https://evil.example" } })).toEqual({
    server: "https://evil.example",
    token: undefined,
    ca: undefined,
  });
  expect(choose({ environment: { BOWLINE_SERVER: "http://prod.example" } })).toMatchObject({
    token: undefined,
  });
  expect(choose({ globals: { server: "https://PROD.example:443/" } })).toMatchObject({ token: prod.token });
});

test("without any server it says how to get one", () => {
  expect(() => choose({ config: empty })).toThrow(
    expect.objectContaining({ code: "NotLoggedIn", message: expect.stringContaining("bowline login URL") }),
  );
  const none = new ConfigDocument('contexts: [{name: prod, server: "https://prod.example"}]', "config.yaml");
  expect(() => choose({ config: none })).toThrow(
    expect.objectContaining({ code: "NotLoggedIn", message: expect.stringContaining("bowline context use") }),
  );
});

test("a context that is not there is named, with those that are", () => {
  expect(() => choose({ globals: { context: "stage" } })).toThrow(
    expect.objectContaining({
      code: "ContextUnknown",
      message: 'There is no context "stage"; there are prod, dev.',
    }),
  );
});

import { describe, expect, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { Credential } from "../kinds/credential.ts";
import { statusOf } from "../bodies/status.ts";
import { object, optional, secret, text } from "../schema/build.ts";
import { defineKind } from "./define-kind.ts";
import { joinSecrets, splitSecrets } from "./secrets.ts";

describe("splitSecrets", () => {
  const spec = { type: "token", data: { token: "s3cret" } };

  test("takes the secrets out, and joinSecrets puts them back", () => {
    const split = splitSecrets(Credential, spec);
    expect(split).toEqual({ spec: { type: "token" }, secrets: { "spec.data": { token: "s3cret" } } });
    expect(joinSecrets(Credential, split.spec, split.secrets)).toEqual(spec);
    expect(spec.data).toEqual({ token: "s3cret" });
  });

  test("tells a secret that was left out from one that was set", () => {
    expect(splitSecrets(Credential, { type: "token" }).secrets).toEqual({});
  });

  test("leaves a spec without secrets as it is", () => {
    const open = { provider: "existing" };
    expect(splitSecrets(Cluster, open).spec).toBe(open);
  });

  test("finds secrets below the top of the spec, and leaves what is beside them", () => {
    const nested = defineKind({
      kind: "Nested",
      plural: "nesteds",
      description: "",
      spec: object("", {
        login: optional(
          object("", {
            user: text("", { maxLength: 9 }),
            password: optional(secret(text("", { maxLength: 9 }))),
          }),
        ),
      }),
      status: statusOf({}),
      columns: [],
    });
    const login = { login: { user: "editor", password: "s3cret" } };
    const split = splitSecrets(nested, login);
    expect(split).toEqual({
      spec: { login: { user: "editor" } },
      secrets: { "spec.login.password": "s3cret" },
    });
    expect(joinSecrets(nested, split.spec, split.secrets)).toEqual(login);
    expect(splitSecrets(nested, {})).toEqual({ spec: {}, secrets: {} });
  });
});

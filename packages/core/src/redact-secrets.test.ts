import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { redactLine, redactSecrets, redactText, secretNames } from "./redact-secrets.ts";

const canary = "canary4711";

const spellings = secretNames.flatMap((name) => [
  name,
  name.toUpperCase(),
  name.replaceAll("-", "_"),
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  `x-my-${name}`,
]);

describe("redactSecrets", () => {
  test.each(spellings)("hides %s, whatever its value is", (name) => {
    for (const value of [canary, [canary], { a: { b: canary } }, 4711]) {
      expect(redactSecrets({ [name]: value, other: 1 })).toEqual({ [name]: "[Redacted]", other: 1 });
    }
  });

  test("finds a secret at any depth of any JSON", () => {
    const name = fc.constantFrom(...spellings);
    const step = fc.oneof(fc.string(), fc.nat(3));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), name, fc.json(), (path, name, noise) => {
        const holder = path.reduce<unknown>(
          (inner, step) =>
            typeof step === "string"
              ? { noise: JSON.parse(noise), [step]: inner }
              : [...Array.from({ length: step }).keys(), inner],
          { [name]: canary },
        );
        expect(redactLine(`${JSON.stringify(holder)}\n`)).not.toContain(canary);
      }),
    );
  });

  test("leaves everything else as it is", () => {
    const value = {
      tokenCount: 3,
      secretName: "tls",
      secrets: 12,
      hasPassword: true,
      password: null,
      text: "Renewed the token of agent 7",
      url: "https://example.com:6443/api?limit=5",
    };
    expect(redactSecrets(value)).toEqual(value);
  });

  test("hides the values of Kubernetes Secrets, not those of other objects", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": canary };
    const secret = { kind: "Secret", metadata: { name: "tls", annotations }, data: { key: canary } };
    const list = { kind: "SecretList", items: [{ data: { key: canary } }] };
    expect(JSON.stringify(redactSecrets([secret, list]))).not.toContain(canary);
    const config = { kind: "ConfigMap", data: { key: "value" } };
    expect(redactSecrets(config)).toEqual(config);
  });

  test("hides raw headers", () => {
    const headers = ["Accept", "*/*", "Cookie", canary, "Host", "a"];
    expect(redactSecrets(headers)).toEqual(["Accept", "*/*", "Cookie", "[Redacted]", "Host", "a"]);
  });
});

describe("redactText", () => {
  test.each([
    `Authorization: Bearer ${canary}`,
    `sent basic ${canary}==`,
    `cloning https://user:${canary}@example.com/a.git`,
    `postgres://:${canary}@localhost/bowline`,
    `GET /api?access_token=${canary}&limit=5`,
    `PGPASSWORD=${canary} psql`,
    `-----BEGIN EC PRIVATE KEY-----\n${canary}\n-----END EC PRIVATE KEY-----`,
    `body {"password": "\\"${canary}"}`,
    JSON.stringify(JSON.stringify({ token: canary })),
    `the token bwl_abcdefgh${canary.repeat(4)} is not known`,
    `joining with bwj_abcdefgh${canary.repeat(4)}`,
  ])("takes the secret out of %j", (text) => {
    expect(redactText(text)).not.toContain(canary);
    expect(redactText(text)).toContain("[Redacted]");
  });
});

describe("redactLine", () => {
  test("passes a line without secrets unread", () => {
    const line = `{"msg":"hello",  "n":1}\n`;
    expect(redactLine(line)).toBe(line);
  });

  test("drops a line it cannot search", () => {
    expect(redactLine(`{"token":"${canary}`)).not.toContain(canary);
    const deep = `${"[".repeat(100_000)}{"token":"${canary}"}${"]".repeat(100_000)}`;
    const line = redactLine(deep);
    expect(line).not.toContain(canary);
    expect(JSON.parse(line)).toMatchObject({ level: "error" });
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../../testing/object-server.ts";

const objects = `kind: Cluster
metadata: {name: a, labels: {env: prod}}
spec: {region: eu-1}
---
kind: Credential
metadata: {name: git}
spec:
  type: basic
  data: {username: operator, password: the-old-secret}
`;

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
  await server.bowline(["apply", "-f", "-"], { stdin: objects });
});
afterAll(() => server[Symbol.asyncDispose]());

function diff(stdin: string, options: { isTty?: boolean } = {}): ReturnType<ObjectServer["bowline"]> {
  return server.bowline(["diff", "-f", "-"], { stdin, ...options });
}

describe("diff", () => {
  test("says nothing and exits with 0 when nothing would change", async () => {
    expect(await diff(objects)).toMatchObject({ code: 0, out: "", error: "" });
  });

  test("exits with 1 and shows what would change, with defaults and without what is the server's", async () => {
    const ran = await diff("kind: Cluster\nmetadata: {name: a, labels: {env: prod}}\nspec: {region: eu-2}\n");
    expect(ran).toMatchObject({ code: 1, error: "" });
    expect(ran.out).toBe(
      [
        "--- cluster/a",
        "+++ cluster/a (standard input)",
        "@@ -7,4 +7,4 @@",
        "   name: a",
        " spec:",
        "   provider: existing",
        "-  region: eu-1",
        "+  region: eu-2",
        "",
      ].join("\n"),
    );
  });

  test("shows a new object as all new, and writes nothing", async () => {
    const ran = await diff(
      "kind: User\nmetadata: {name: deputy}\nspec: {}\n---\nkind: Token\nmetadata: {name: t}\nspec: {user: deputy}\n",
    );
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(
      /^--- user\/deputy \(missing\)\n\+\+\+ user\/deputy \(standard input, document 1\)\n@@ -0,0 \+1,10 @@\n\+apiVersion/,
    );
    expect(ran.out).toContain("+++ token/t (standard input, document 2)");
    expect((await server.bowline(["get", "user", "deputy"])).code).toBe(1);
  });

  test.each([
    [
      "a value",
      objects.replace("the-old-secret", "the-new-secret"),
      "-  data: (secret)\n+  data: (secret, changed)\n",
    ],
    [
      "a value and the type",
      "kind: Credential\nmetadata: {name: git}\nspec: {type: token, data: {token: the-new-secret}}\n",
      "-  data: (secret)\n-  type: basic\n+  data: (secret, changed)\n+  type: token\n",
    ],
    [
      "a label and no value",
      objects.replace("{name: git}", "{name: git, labels: {a: b}}"),
      "-  labels: {}\n+  labels:\n+    a: b\n   name: git\n spec:\n   data: (secret)\n",
    ],
  ])("tells that %s of a secret would change, and never a value", async (_, text, expected) => {
    const ran = await diff(text);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(expected);
    expect(ran.out).not.toMatch(/the-(?:old|new)-secret|operator/);
  });

  test("is coloured on a terminal", async () => {
    const { out } = await diff(objects.replace("eu-1", "eu-2"), { isTty: true });
    expect(out).toContain("\u001B[32m+  region: eu-2\u001B[39m\n");
    expect(out).toContain("\u001B[31m-  region: eu-1\u001B[39m\n");
  });

  test.each([
    ["a mistake in the file", "kind: Clutser\n", "standard input, line 1: kind is «Clutser»"],
    [
      "what the server refuses",
      "kind: Cluster\nmetadata: {name: a}\nspec: {provider: kind}\n",
      "standard input, line 3: cluster/a: ",
    ],
  ])("exits with 2 for %s", async (_, text, message) => {
    const ran = await diff(text);
    expect(ran.code).toBe(2);
    expect(ran.error).toContain(message);
  });

  test("exits with 2 when there is no server", async () => {
    const ran = await server.bowline(["diff", "-f", "-"], {
      stdin: objects,
      environment: { BOWLINE_SERVER: "http://127.0.0.1:1" },
    });
    expect(ran.code).toBe(2);
    expect(ran.error).toMatch(/^error: /);
  });
});

import { expect, test } from "vitest";

import { inlineConnection } from "./inline-connection.ts";

function kubeconfig({ cluster = {}, user = { token: "t" } }: { cluster?: object; user?: object }): string {
  return JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://192.0.2.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
  });
}

test("a way in with its token inside is taken", () => {
  expect(inlineConnection(kubeconfig({}))).toMatchObject({
    server: "https://192.0.2.1:6443",
    auth: { type: "token", token: "t" },
  });
});

test.each([
  ["a program", { user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sh" } } }],
  ["a file with a token", { user: { tokenFile: "/etc/passwd" } }],
  ["a file with a certificate", { user: { "client-certificate": "/a.crt", "client-key": "/a.key" } }],
  ["a file with an authority", { cluster: { "certificate-authority": "/etc/ca.crt" } }],
  [
    "a proxy, which would have every request of the server",
    { cluster: { "proxy-url": "http://192.0.2.9:1" } },
  ],
  ["any certificate", { cluster: { "insecure-skip-tls-verify": true } }],
  ["no certificate", { cluster: { server: "http://192.0.2.1:8080" } }],
])("%s is refused", (_, parts) => {
  expect(() => inlineConnection(kubeconfig(parts))).toThrow(
    expect.objectContaining({ code: "KubeconfigInvalid" }),
  );
});

import { expect, it } from "vitest";
import { kubeconfigText } from "./kubeconfig.ts";

it("says where the cluster is, whom to trust and who asks", () => {
  const text = kubeconfigText({
    url: "https://127.0.0.1:6443",
    caCert: "PEM",
    user: "guest",
    token: "secret",
  });
  expect(JSON.parse(text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "bowline-test",
        cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "UEVN" },
      },
    ],
    users: [{ name: "guest", user: { token: "secret" } }],
    contexts: [{ name: "bowline-test", context: { cluster: "bowline-test", user: "guest" } }],
    "current-context": "bowline-test",
  });
});

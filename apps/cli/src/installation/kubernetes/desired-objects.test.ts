import { expect, test } from "vitest";

import { desiredInstallation, type DesiredInstallation } from "./desired-objects.ts";

const options = {
  name: "bowline",
  kubeconfig: "/kubeconfig",
  kubeContext: undefined,
  namespace: "bowline-system",
  registers: true,
  cluster: "bowline",
};
const postgres = { database: { postgres: { existingSecret: "postgres" } } };

function desiredWith(values: Readonly<Record<string, unknown>>): Promise<DesiredInstallation> {
  return desiredInstallation({
    options: { ...options, values },
    installation: "0192f0c0-0000-7000-8000-000000000000",
    version: "1.2.3",
    kubernetesVersion: "1.36",
  });
}

test.each([
  ["SQLite", {}, ["bowline-admin"]],
  ["PostgreSQL, whose keys nobody named", postgres, ["bowline-admin", "bowline-encryption"]],
  [
    "PostgreSQL, and every other value as it is printed",
    { ...postgres, encryption: { existingSecret: "", key: "encryption.keys" } },
    ["bowline-admin", "bowline-encryption"],
  ],
  [
    "PostgreSQL with keys of somebody's own",
    { ...postgres, encryption: { existingSecret: "mine" } },
    ["bowline-admin"],
  ],
  ["a token of somebody's own", { adminToken: { existingSecret: "mine" } }, []],
])("with %s the right Secrets are made", async (_, values, secrets) => {
  const desired = await desiredWith(values);
  expect(desired.secrets.map(({ name }) => name)).toEqual(secrets);
  const text = JSON.stringify(desired.objects);
  for (const name of secrets) expect(text).toContain(`"secretName":"${name}"`);
});

const inService = "https://bowline.bowline-system.svc:7443";
const [ingress, gateway] = [
  { enabled: true, host: "in.example.com" },
  { enabled: true, host: "gw.example.com", parentRef: { name: "public" } },
];

test.each([
  ["nobody", {}, undefined],
  ["a url", { url: "https://b.example.com", ingress }, "https://b.example.com"],
  ["an ingress", { ingress }, "https://in.example.com"],
  ["a gateway", { gateway }, "https://gw.example.com"],
])("the address that others know is said by %s", async (_, values, url) => {
  const desired = await desiredWith(values);
  expect(desired.url).toBe(url);
  const forAgent = `"value":"${url},${inService}"`;
  expect(JSON.stringify(desired.objects).includes(forAgent)).toBe(url !== undefined);
});

test.each([
  ["of its own", {}, inService],
  ["of its own, with a url", { url: "https://b.example.com" }, inService],
  [
    "that somebody has given for its url",
    { url: "https://b.example.com", tls: { existingSecret: "tls" } },
    "https://b.example.com",
  ],
])("through the API server it is called by a name in its certificate: %s", async (_, values, name) => {
  expect((await desiredWith(values)).certifiedUrl).toBe(name);
});

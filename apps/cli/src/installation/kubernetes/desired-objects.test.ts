import { expect, test } from "vitest";

import { desiredInstallation } from "./desired-objects.ts";

const options = {
  name: "bowline",
  kubeconfig: "/kubeconfig",
  kubeContext: undefined,
  namespace: "bowline-system",
  registers: true,
  cluster: "bowline",
};
const postgres = { database: { postgres: { existingSecret: "postgres" } } };

test.each([
  ["SQLite", {}, ["bowline-admin"]],
  ["PostgreSQL, whose keys nobody named", postgres, ["bowline-admin", "bowline-encryption"]],
  [
    "PostgreSQL with keys of somebody's own",
    { ...postgres, encryption: { existingSecret: "mine" } },
    ["bowline-admin"],
  ],
  ["a token of somebody's own", { adminToken: { existingSecret: "mine" } }, []],
])("with %s the right Secrets are made", async (_, values, secrets) => {
  const desired = await desiredInstallation({
    options: { ...options, values },
    installation: "0192f0c0-0000-7000-8000-000000000000",
    version: "1.2.3",
    kubernetesVersion: "1.36",
  });
  expect(desired.secrets.map(({ name }) => name)).toEqual(secrets);
  const text = JSON.stringify(desired.objects);
  for (const name of secrets) expect(text).toContain(`"secretName":"${name}"`);
});

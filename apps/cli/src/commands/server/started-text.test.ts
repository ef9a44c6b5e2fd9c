import { expect, test } from "vitest";

import { startedText, type StartedServer } from "./started-text.ts";

const server: StartedServer = {
  version: "1.2.3",
  url: "https://127.0.0.1:7443",
  address: "127.0.0.1:7443",
  data: "/data",
  role: "all",
  caFile: undefined,
  caFingerprint: undefined,
  adminToken: undefined,
  adminTokenFile: "/my data/admin.token",
  hasAdminTokenFile: true,
  program: "bowline",
};

test("for as long as the first token is in its file, every start says how to log in with it", () => {
  expect(startedText(server)).toContain(
    "with the token of the first start:\n\n  bowline login https://127.0.0.1:7443 --token-file '/my data/admin.token'\n",
  );
  expect(startedText({ ...server, hasAdminTokenFile: false })).not.toContain("login");
});

import { expect, it } from "vitest";

import { scrubberOf } from "./scrub.ts";

const pair = Buffer.from("git:s3cret/x").toString("base64");

it.each([
  "fatal: s3cret/x is wrong",
  "https://git:s3cret%2Fx@host/",
  `Authorization: Basic ${pair}`,
  `sent ${pair}`,
  Buffer.from("s3cret/x").toString("base64"),
])("takes the token out of %s", (text) => {
  const scrubbed = scrubberOf({ type: "token", token: "s3cret/x", fingerprint: "f" })(text);
  expect(scrubbed).toContain("[Redacted]");
  expect(scrubbed).not.toMatch(/s3cret|Z2l0OnMz|czNjcmV0/u);
});

it("takes each line of a key out, and user information that is in no credential", () => {
  const line = "b3BlbnNzaC1rZXktdjEAAAAA";
  const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----\n${line}\n-----END OPENSSH PRIVATE KEY-----`;
  const scrub = scrubberOf({ type: "ssh-key", privateKey, fingerprint: "f" });
  expect(scrub(`Load key: ${line}`)).not.toContain(line);
  expect(scrubberOf(undefined)("https://me:other@host/x")).not.toContain("other");
});

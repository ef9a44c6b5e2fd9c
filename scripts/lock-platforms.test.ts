import { expect, it } from "vitest";

import { missingPlatforms } from "./lock-platforms.ts";

const tool = {
  version: "1.2.3",
  dev: true,
  optionalDependencies: {
    "@tool/binding-linux-x64-gnu": "1.2.3",
    "@tool/binding-linux-x64-musl": "1.2.3",
    "tool-win32-arm64": "1.2.3",
    fsevents: "~2.3.0",
  },
};

it("names the platforms that a lock leaves out, with what they run on", () => {
  const packages = {
    "node_modules/tool": tool,
    "node_modules/@tool/binding-linux-x64-gnu": { version: "1.2.3" },
  };
  expect(missingPlatforms({ packages })).toEqual({
    "node_modules/@tool/binding-linux-x64-musl": {
      version: "1.2.3",
      os: ["linux"],
      cpu: ["x64"],
      libc: ["musl"],
      dev: true,
      optional: true,
    },
    "node_modules/tool-win32-arm64": {
      version: "1.2.3",
      os: ["win32"],
      cpu: ["arm64"],
      dev: true,
      optional: true,
    },
  });
});

it("has nothing to add to a complete lock", () => {
  const packages = { "node_modules/tool": { version: "1.2.3" } };
  expect(missingPlatforms({ packages })).toEqual({});
});

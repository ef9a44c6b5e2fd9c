import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { lockAsFound, lockInstallation } from "./installation-lock.ts";
import type { InstallationState } from "./installation-state.ts";
import { StateFiles } from "./state-files.ts";

let home: string;
const state: InstallationState = {
  version: 1,
  installation: "i-1",
  name: "local",
  target: { type: "local" },
  phase: "preflight",
  startedAt: "",
  steps: [],
  resources: [],
  provided: [],
  endpoints: {},
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "bowline-state-"));
});
afterEach(() => rm(home, { recursive: true }));

test("is where the XDG base directory specification puts state", () => {
  expect(new StateFiles({ XDG_STATE_HOME: "/s", HOME: "/h" }).path("a")).toBe(
    "/s/bowline/installations/a.json",
  );
  expect(new StateFiles({ HOME: "/h" }).path("a")).toBe("/h/.local/state/bowline/installations/a.json");
});

test("only its owner can read it, and nothing is beside it", async () => {
  const files = new StateFiles({ HOME: home });
  expect(await files.read("local")).toBeUndefined();
  expect(await files.list()).toEqual([]);
  await files.write(state);
  expect((await stat(files.path("local"))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(home, ".local/state/bowline/installations"))).toEqual(["local.json"]);
  expect((await files.list()).map((found) => found.state)).toEqual([state]);
  await files.remove("local");
  expect(await files.list()).toEqual([]);
});

test("a full disk says that nothing was done, or nothing more", async () => {
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const files = new StateFiles({ HOME: home }, () => Promise.reject(full));
  await expect(files.write(state)).rejects.toThrow(/no space is left on the disk\. Nothing was done;/u);
  const made = { ...state, resources: [{ type: "folder", id: "/d", state: "made" as const, at: "" }] };
  await expect(files.write(made)).rejects.toThrow("Nothing more was done");
});

test("a folder that cannot be made is named", async () => {
  await mkdir(join(home, ".local"));
  await writeFile(join(home, ".local/state"), "");
  await expect(new StateFiles({ HOME: home }).write(state)).rejects.toThrow("local.json cannot be written");
});

test("a second lock is refused while the first is held, and not after", () => {
  const path = new StateFiles({ HOME: home }).lockPath("local");
  const first = lockInstallation("local", path);
  expect(() => lockInstallation("local", path)).toThrow(
    expect.objectContaining({
      code: "Conflict",
      message: expect.stringContaining('`upgrade` works on "local" right now'),
    }),
  );
  first[Symbol.dispose]();
  lockInstallation("local", path)[Symbol.dispose]();
});

test("what somebody else has done since the state was read is not written over", async () => {
  const files = new StateFiles({ HOME: home });
  const found = { name: "local", path: files.path("local"), state };
  await files.write(state);
  (await lockAsFound(files, "local", found))[Symbol.dispose]();
  await files.write({ ...state, phase: "save" });
  await expect(lockAsFound(files, "local", found)).rejects.toMatchObject({
    code: "Conflict",
    message: expect.stringContaining('worked on "local" meanwhile'),
  });
  await files.remove("local");
  await expect(lockAsFound(files, "local", found)).rejects.toMatchObject({ code: "Conflict" });
  (await lockAsFound(files, "local", undefined))[Symbol.dispose]();
});

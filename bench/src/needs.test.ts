import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestProgram } from "@bowline/test-services/programs";
import { expect, onTestFinished, test } from "vitest";

import { meetNeeds, type Needs } from "./needs.ts";

const named = (program: string): TestProgram => ({
  program,
  debianPackage: `${program}-package`,
  homebrewFormula: program,
  purpose: "a test",
});

/** A machine with these programs and nothing else. */
async function machineWith(...programs: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "bowline-needs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const program of programs) await writeFile(join(folder, program), "", { mode: 0o755 });
  const told: string[] = [];
  const installed: string[] = [];
  const meet = (needs: Needs, installCode = 0): Promise<number> =>
    meetNeeds(needs, {
      tell: (message) => void told.push(message),
      env: { PATH: folder, XDG_CACHE_HOME: folder },
      install: async (missing) => {
        installed.push(...missing.map(({ program }) => program));
        return installCode;
      },
    });
  return { told, installed, meet };
}

test("says nothing where everything is there", async () => {
  const { told, installed, meet } = await machineWith("some-backend", "some-neighbour");
  expect(await meet({ programs: [named("some-backend")], neighbours: [named("some-neighbour")] })).toBe(0);
  expect([told, installed]).toEqual([[], []]);
});

test("installs what is missing, and does not start where that cannot be done", async () => {
  const { installed, meet } = await machineWith("some-backend");
  const needs = { programs: [named("some-backend"), named("some-broker")] };
  expect(await meet(needs)).toBe(0);
  expect(await meet(needs, 1)).toBe(1);
  expect(installed).toEqual(["some-broker", "some-broker"]);
});

test("says at the start which neighbours it goes without", async () => {
  const { told, installed, meet } = await machineWith();
  expect(await meet({ programs: [], neighbours: [named("some-proxy")], apiServer: "neighbour" })).toBe(0);
  expect(told).toEqual([
    "Without some-proxy, which is not on this machine (on Debian: apt-get install some-proxy-package).",
    "Without a real API server: `npm run test:cluster` builds Kubernetes 1.20.",
  ]);
  expect(installed).toEqual([]);
});

test("ends with one sentence, before anything is installed, where there is no API server to measure", async () => {
  const { told, installed, meet } = await machineWith();
  expect(await meet({ programs: [named("some-backend")], apiServer: "required" })).toBe(1);
  expect(told).toEqual(["There is no Kubernetes 1.20 on this machine: `npm run test:cluster` builds it."]);
  expect(installed).toEqual([]);
});

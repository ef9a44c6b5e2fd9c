import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Lints a copy, because the lint of the workspace leaves out its fixtures. */
function lint(fixture: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "bowline-lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, "scripts/fixtures/lint", fixture), join(folder, fixture));
  const oxlint = join(root, "node_modules/.bin/oxlint");
  const args = ["-c", join(root, ".oxlintrc.json"), "-f", "unix", "."];
  const { stdout } = spawnSync(oxlint, args, { cwd: folder, encoding: "utf8" });
  return stdout.split("\n").filter((line) => line.includes("[Error/"));
}

it("refuses `Object(x)`, whose type is `any`", () => {
  expect(lint("hidden-any.ts")).toEqual([expect.stringMatching(/^hidden-any\.ts:3:.*new-for-builtins/u)]);
});

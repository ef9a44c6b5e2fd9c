import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

const guide = readFileSync(new URL("../../../../docs/guides/work-with-objects.md", import.meta.url), "utf8");

interface Step {
  readonly command: string;
  readonly expected: string;
}

/** Every command of the guide that is shown with what it prints. */
function stepsOf(text: string): Step[] {
  const blocks = Array.from(text.matchAll(/```console\n(.*?)```/gsu), ([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /mu)
      .slice(1)
      .map((step) => {
        const [command = "", ...lines] = step.split("\n");
        return { command, expected: lines.join("\n") };
      }),
  );
}

async function perform(server: ObjectServer, folder: string, command: string): Promise<string> {
  if (!command.startsWith("bowline ")) {
    return execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  }
  const [line = "", file] = command.split(" > ");
  const args = line
    .split(" ")
    .slice(1)
    .map((word) => (word.endsWith(".yaml") ? join(folder, word) : word));
  const { out, error } = await server.bowline(args);
  if (file === undefined) return (out + error).replaceAll(`${folder}/`, "");
  writeFileSync(join(folder, file), out);
  return error;
}

test("the guide to working with objects says what happens", async () => {
  await using server = await startObjectServer();
  const folder = mkdtempSync(join(tmpdir(), "bowline-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "web.yaml"), /```yaml\n(.*?)```/su.exec(guide)?.[1] ?? "");
  const steps = stepsOf(guide);
  expect(steps.length).toBeGreaterThan(10);
  for (const { command, expected } of steps) {
    expect(`$ ${command}\n${await perform(server, folder, command)}`).toBe(`$ ${command}\n${expected}`);
  }
});

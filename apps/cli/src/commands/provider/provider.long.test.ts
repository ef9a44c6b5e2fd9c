import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError } from "@bowline/core";
import { findProgram } from "@bowline/test-services";
import { describe, expect, test } from "vitest";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";
import { tempFolder } from "../../testing/server-client.ts";

const jq = await findProgram({ program: "jq", debianPackage: "jq" });

/** A cluster is two files with its id in their names. `mistake` is something that a program gets wrong. */
const program = (mistake: string): string => `#!/bin/sh
IFS= read -r question
field() { printf '%s' "$question" | sed "s/^{\\"protocol\\":1,\\"action\\":\\"\\([a-z]*\\)\\",\\"cluster\\":{\\"id\\":\\"\\([0-9a-f-]*\\)\\".*/\\\\$1/"; }
action=$(field 1) id=$(field 2) number=$$
known=$(printf '%s' "$question" | sed -n 's/.*"record":{"disk":"\\([^"]*\\)".*/\\1/p')
echo "asked to $action with $TOKEN" >&2
${mistake}
disk=$(cd things; ls | grep "^$id.disk" | head -1)
[ -n "$known" ] && [ ! -e "things/$known" ] && disk=
record="\\"record\\":{\\"disk\\":\\"$disk\\"}"
case $action in
plan) echo '{"message":"a disk"}' ;;
observe)
  if [ -z "$disk" ]; then echo '{"state":"gone"}'
  elif [ -e "things/$id.door" ]; then echo '{"state":"ready"}'
  else echo '{"state":"creating"}'; fi ;;
next)
  if [ -z "$disk" ]; then
    disk=$id.disk; touch "things/$disk"
    echo "{\\"state\\":\\"creating\\",\\"step\\":{\\"n\\":1,\\"of\\":2,\\"text\\":\\"Disk\\"},\\"record\\":{\\"disk\\":\\"$disk\\"},\\"retryAfterSeconds\\":0}"
  else touch "things/$id.door"; echo "{\\"state\\":\\"ready\\",$record}"; fi ;;
delete)
  rm -f "things/$id".*
  echo '{"state":"gone","record":null}' ;;
credentials) echo '{"kubeconfig":"{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: https://127.0.0.1:1}}], users: [{name: u, user: {token: t}}]}"}' ;;
esac
`;

interface Tested extends Ran {
  readonly things: readonly string[];
}

async function placeProgram(mistake: string): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, "things"));
  await writeFile(join(folder, "maker"), program(mistake), { mode: 0o755 });
  return folder;
}

async function testProgram(mistake: string, ...args: string[]): Promise<Tested> {
  const folder = await placeProgram(mistake);
  await writeFile(join(folder, "spec.yaml"), "exec: {command: maker, timeout: 20s}\nmaxNodes: 3\n");
  const ran = await runBowline(
    ["provider", "test", join(folder, "maker"), ...args.map((arg) => arg.replace("@", folder))],
    { environment: { PATH: process.env["PATH"], TOKEN: "canary-token-55e1" } },
  );
  expect(ran.out + ran.error).not.toContain("canary-token-55e1");
  return { ...ran, things: await readdir(join(folder, "things")) };
}

describe("bowline provider test", () => {
  test("trusts a program that is right, and leaves nothing of its clusters", async () => {
    const { code, out, error, things } = await testProgram("", "--env", "TOKEN", "--spec", "@/spec.yaml");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out.match(/^ok: /gmu)).toHaveLength(3);
    expect(out).toContain("The program keeps the protocol.");
    expect(things).toEqual([]);
  });

  test("prints a report for programs", async () => {
    const { code, out } = await testProgram("", "-o", "json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      ok: true,
      checks: [expect.any(Object), expect.any(Object), expect.any(Object)],
      leftOver: [],
    });
  });

  test("shows what the program says, without its secrets", async () => {
    const { error } = await testProgram("", "-v", "--env", "TOKEN");
    expect(error).toContain("asked to next with [Redacted]");
  });

  test.each([
    ["prints something else", "echo hello", "is no JSON object; logs belong on standard error"],
    ["fails", "echo 'no quota' >&2; exit 4", "ended with exit code 4"],
    ["takes a plan for an order", '[ $action = plan ] && touch "things/$id.disk"', "a plan makes nothing"],
    [
      "makes two of one",
      `[ $action = next ] && [ -z "$known" ] && { disk=$id.disk.$number; touch "things/$disk"; echo '{"state":"creating","retryAfterSeconds":0,"record":{"disk":"'$disk'"}}'; exit; }
[ $action = delete ] && { rm -f "things/$known" "things/$id.door"; echo '{"state":"gone"}'; exit; }
[ $action = observe ] && [ -n "$known" ] && [ -e "things/$known" ] && [ ! -e "things/$id.door" ] && { echo '{"state":"creating"}'; exit; }`,
      "made two things, of which only one was deleted",
    ],
    [
      "deletes only what it remembers",
      `[ $action = delete ] && { rm -f "things/$id.door"; [ -n "$known" ] && rm -f "things/$known"; echo '{"state":"gone"}'; exit; }`,
      "«Disk») was lost and it was asked to delete",
    ],
    [
      "has a kubeconfig that is not whole",
      `[ $action = credentials ] && { echo '{"kubeconfig":"clusters: [{name: c, cluster: {server: https://127.0.0.1:1}}]"}'; exit; }`,
      "by which no agent could be installed: No context is chosen and there is no current-context",
    ],
    ["has no kubeconfig", "[ $action = credentials ] && { echo '{}'; exit; }", "without a kubeconfig"],
    [
      "is blocked",
      `[ $action = next ] && { echo '{"state":"blocked","message":"Pay."}'; exit; }`,
      "blocked: Pay.",
    ],
  ])("says so where a program %s", async (_, mistake, sentence) => {
    const { code, out } = await testProgram(mistake, "--env", "TOKEN");
    expect(code).toBe(1);
    expect(out.replaceAll(/\s+/gu, " ")).toContain(sentence);
    expect(out).toContain("does not keep the protocol yet");
  });

  test("says of a program that is not there only that, and of one that made nothing no cluster", async () => {
    const folder = await tempFolder();
    const gone = await runBowline(["provider", "test", join(folder, "maker")]);
    expect(gone).toMatchObject({ code: 2, out: "", error: expect.stringContaining("There is no file") });
    const none = await runBowline(["provider", "test", folder]);
    expect(none).toMatchObject({ code: 2, out: "", error: expect.stringContaining("No program is") });
    const { code, out } = await testProgram("echo hello");
    expect(code).toBe(1);
    expect(out).not.toContain("something may be left");
  });

  test("takes the clusters away when it is interrupted", async () => {
    const folder = await placeProgram(
      `[ $action = next ] && { touch "things/$id.disk"; echo '{"state":"creating","retryAfterSeconds":600}'; exit; }`,
    );
    const interrupt = new AbortController();
    const testing = runBowline(["provider", "test", join(folder, "maker")], {
      environment: { PATH: process.env["PATH"] },
      signal: interrupt.signal,
    });
    await expect.poll(() => readdir(join(folder, "things"))).toHaveLength(1);
    interrupt.abort(new BowlineError("Cancelled", "Ctrl-C"));
    const { code, error } = await testing;
    expect(code).toBe(130);
    expect(error).toContain("The throw-away clusters are taken away");
    expect(await readdir(join(folder, "things"))).toEqual([]);
  });

  test("names clusters of which something may be left", async () => {
    const { code, out } = await testProgram(
      "[ $action = delete ] && [ -e things/$id.door ] && exit 5",
      "-o",
      "json",
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      leftOver: [
        { name: expect.stringMatching(/^trial-/u), problem: expect.stringContaining("exit code 5") },
      ],
    });
  });

  test.skipIf(jq === undefined)("says of the guide's programs what the guide says", async () => {
    const guide = await readFile(
      new URL("../../../../../docs/guides/cluster-from-a-program.md", import.meta.url),
      "utf8",
    );
    const blocks = [...guide.matchAll(/^```(sh|console)\n(.*?)^```/gmsu)].map(([, , text = ""]) => text);
    const [cloud = "", right = "", shown = "", shownWrong = ""] = blocks;
    const folder = await tempFolder();
    const drop = '  ./cloud drop "$id" >&2\n';
    expect(right).toContain(drop);
    const files = { cloud, "make-cluster": right, wrong: right.replace(drop, "") };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o755 });
    const run = (...args: string[]): Promise<Ran> =>
      runBowline(["provider", "test", ...args], { environment: { PATH: process.env["PATH"] }, columns: 120 });
    const [fine, wrong] = await Promise.all([run(join(folder, "make-cluster")), run(join(folder, "wrong"))]);
    expect(shown).toContain(fine.out);
    expect(shownWrong).toContain(wrong.out);
  });

  test("refuses a spec that no Cluster has, and a variable that is not set", async () => {
    const wrong = await testProgram("", "--env", "NOT_SET");
    expect(wrong).toMatchObject({
      code: 2,
      error: expect.stringContaining("The variable NOT_SET is not set"),
    });
    const many = await testProgram("", "--spec", "@/maker");
    expect(many.code).not.toBe(0);
    const folder = await tempFolder();
    await writeFile(
      join(folder, "kind.yaml"),
      "kind: Cluster\nmetadata: {name: a}\nspec: {provider: kind}\n",
    );
    const other = await testProgram("", "--spec", join(folder, "kind.yaml"));
    expect(other).toMatchObject({
      code: 2,
      error: expect.stringContaining("of the provider kind; only those"),
    });
  });
});

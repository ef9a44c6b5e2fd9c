import { createHash, randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import type { Kubectl } from "./kubectl.ts";
import type { Topic } from "./topic.ts";
import { TerminalSession } from "./terminal-session.ts";

const mebibyte = 1024 * 1024;

const inBox = (script: string): string[] => ["exec", "box", "--", "sh", "-c", script];

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Commands in pods, and what differs from one kubectl to another: how it asks for the streams. */
export function processesTopic(kubectl: () => Kubectl): void {
  test("exec keeps the outputs apart, and ends as the command does", async () => {
    const { code, out, error } = await kubectl().tried(inBox("echo out; echo error >&2; exit 7"));
    expect({ code, out: out.toString() }).toEqual({ code: 7, out: "out\n" });
    expect(error).toBe("error\ncommand terminated with exit code 7\n");
  });

  test("exec -it has a terminal, of the size of one's own, whatever becomes of it", async () => {
    const shell = ["exec", "-it", "box", "--", "sh"];
    const session = await TerminalSession.open(kubectl(), shell, { rows: 41, columns: 133 });
    await session.shown(/# /u);
    // The size is told beside the command, and may come after it.
    session.type("tty; until stty size | grep '^41 133'; do sleep 0.1; done\r");
    await session.shown(/\/dev\/pts\/\d/u);
    await session.shown(/\n41 133\r/u);
    await session.resize({ rows: 25, columns: 90 });
    session.type("until stty size | grep '^25 90'; do sleep 0.1; done\r");
    await session.shown(/\n25 90\r/u);
    session.type("exit 3\r");
    expect(await session.ended()).toBe(3);
  });

  test("attach talks to the pod's own process", async () => {
    const child = kubectl().start("attach", "-i", "parrot");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const word of ["hello", "goodbye"]) {
      child.stdin.write(`${word}\n`);
      expect((await lines.next()).value).toBe(`you said ${word}`);
    }
  });

  test("cp takes files both ways", async () => {
    const folder = await createTempFolder("cp");
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const [here, back] = [join(folder.path, "here"), join(folder.path, "back")];
    const content = randomBytes(5 * mebibyte);
    await writeFile(here, content);
    await kubectl().run("cp", here, "box:/tmp/there");
    expect(await kubectl().run(...inBox("sha256sum < /tmp/there"))).toBe(`${sha256(content)}  -\n`);
    await kubectl().run("cp", "box:/tmp/there", back);
    expect(sha256(await readFile(back))).toBe(sha256(content));
  });
}

/** What goes through those streams, once they are there. */
export const streamsTopic: Topic = (stage) => {
  test("exec -i passes on what is piped to it, and its end", async () => {
    const input = randomBytes(2 * mebibyte);
    const { code, out } = await stage().operator.tried(["exec", "-i", "box", "--", "sha256sum"], { input });
    expect({ code, out: out.toString() }).toEqual({ code: 0, out: `${sha256(input)}  -\n` });
  });

  test("exec brings back 10 MiB as they are", async () => {
    const make = `head -c ${10 * mebibyte} /dev/urandom > /tmp/big; sha256sum < /tmp/big`;
    const made = await stage().operator.run(...inBox(make));
    const { code, out } = await stage().operator.tried(["exec", "box", "--", "cat", "/tmp/big"]);
    expect({ code, length: out.length }).toEqual({ code: 0, length: 10 * mebibyte });
    expect(`${sha256(out)}  -\n`).toBe(made);
  });

  test("Ctrl-C in exec -it reaches the command, and not kubectl", async () => {
    const command = 'trap "echo caught; exit 9" INT; echo ready; while :; do sleep 1; done';
    const shell = ["exec", "-it", "box", "--", "sh", "-c", command];
    const session = await TerminalSession.open(stage().operator, shell, { rows: 24, columns: 80 });
    await session.shown(/ready/u);
    session.type("\u0003");
    await session.shown(/caught/u);
    expect(await session.ended()).toBe(9);
  });
};

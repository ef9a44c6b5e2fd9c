import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { expect, test } from "vitest";

import type { Topic } from "./topic.ts";

function linesOf(stream: Readable): AsyncIterator<string> {
  return createInterface({ input: stream })[Symbol.asyncIterator]();
}

async function next(lines: AsyncIterator<string>): Promise<string> {
  const { done, value } = await lines.next();
  if (done === true) throw new Error("kubectl ended before it printed another line.");
  return value;
}

async function lineWith(lines: AsyncIterator<string>, text: string): Promise<void> {
  while (!(await next(lines)).includes(text));
}

/** What goes on until somebody ends it. Each line is awaited before the next one is caused: nothing may be held back. */
export const watchesTopic: Topic = (stage) => {
  test("get -w shows changes as they happen", async () => {
    const { operator } = stage();
    await operator.run("create", "configmap", "watched");
    const columns = "custom-columns=name:.metadata.name,label:.metadata.labels.step";
    const flags = ["--field-selector=metadata.name=watched", "--no-headers", "-o", columns];
    const lines = linesOf(operator.start("get", "configmaps", "-w", ...flags).stdout);
    expect(await next(lines)).toMatch(/^watched +<none>$/u);
    for (const step of ["one", "two"]) {
      await operator.run("label", "configmap/watched", `step=${step}`, "--overwrite");
      expect(await next(lines)).toMatch(new RegExp(`^watched +${step}$`, "u"));
    }
    await operator.run("delete", "configmap/watched");
    expect(await next(lines)).toMatch(/^watched /u);
  });

  test("wait waits, and gives up when it was told to", async () => {
    const { operator } = stage();
    await operator.run("create", "configmap", "awaited");
    const waiting = operator.start("wait", "configmap/awaited", "--for=delete", "--timeout=150s", "-v=6");
    const requests = linesOf(waiting.stderr);
    await lineWith(requests, "watch=true");
    const exited = once(waiting, "exit");
    await operator.run("delete", "configmap/awaited");
    expect(await exited).toEqual([0, null]);
    const impatient = await operator.tried(["wait", "pod/box", "--for=delete", "--timeout=1s"]);
    expect(impatient.code).toBe(1);
    expect(impatient.error).toContain("timed out waiting for the condition");
  });

  test("logs -f shows lines as they are written", async () => {
    const { operator } = stage();
    const lines = linesOf(operator.start("logs", "-f", "box").stdout);
    for (const line of ["first", "second", "third"]) {
      await operator.run("exec", "box", "--", "sh", "-c", `echo ${line} > /tmp/said`);
      expect(await next(lines)).toBe(line);
    }
    expect(await operator.run("logs", "box", "--tail=1")).toBe("third\n");
  });

  test("logs -f of a pod that ends, ends too", async () => {
    const { operator } = stage();
    const flags = ["--image=localhost/busybox:1", "--image-pull-policy=Never", "--restart=Never"];
    await operator.run("run", "short", ...flags, "--", "sh", "-c", "echo begin; sleep 1; echo end");
    await operator.run("wait", "pod/short", "--for=condition=Ready", "--timeout=150s");
    expect(await operator.run("logs", "-f", "short")).toBe("begin\nend\n");
    await operator.run("delete", "pod/short");
  });
};

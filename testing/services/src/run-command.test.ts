import { expect, it } from "vitest";
import { livingPids } from "./process-tree.ts";
import { runCommand } from "./run-command.ts";

it("resolves when the command succeeds", async () => {
  let output = "";
  await runCommand({ command: "echo", args: ["done"], onOutput: (chunk) => (output += chunk.toString()) });
  expect(output).toBe("done\n");
});

it("says what the command printed last when it fails", async () => {
  const running = runCommand({
    name: "Unpack it",
    command: "sh",
    args: ["-c", "echo no space left; exit 2"],
  });
  await expect(running).rejects.toMatchObject({
    code: "ProcessFailed",
    message: "Unpack it failed (exit code 2). It last printed:\nno space left",
  });
});

it("ends the command when its signal aborts", async () => {
  const interrupt = new AbortController();
  let pid = 0;
  const running = runCommand({
    command: "sh",
    args: ["-c", "echo $$; exec sleep 60"],
    signal: interrupt.signal,
    onOutput: (chunk) => {
      pid = Number(chunk.toString());
      interrupt.abort(new Error("enough"));
    },
  });
  await expect(running).rejects.toThrow("enough");
  expect(await livingPids([pid])).toEqual([]);
});

it("does not start when its signal has aborted", async () => {
  const running = runCommand({
    command: "no-such-program",
    signal: AbortSignal.abort(new Error("too late")),
  });
  await expect(running).rejects.toThrow("too late");
});

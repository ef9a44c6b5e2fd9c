import { expect, test } from "vitest";

import { programEnvironment, runProgram } from "./run-program.ts";

const context = {
  environment: { PATH: process.env["PATH"] },
  signal: new AbortController().signal,
};

test("programs get the way to their engine, and none of our secrets", () => {
  const environment = {
    PATH: "/bin",
    DOCKER_HOST: "ssh://a",
    KUBECONFIG: "/mine",
    BOWLINE_TOKEN: "x",
    AWS_SECRET_ACCESS_KEY: "y",
  };
  expect(programEnvironment(environment, { KIND_EXPERIMENTAL_PROVIDER: "docker" })).toEqual({
    PATH: "/bin",
    DOCKER_HOST: "ssh://a",
    KIND_EXPERIMENTAL_PROVIDER: "docker",
  });
});

test("one that fails tells by its code, without a shell in between", async () => {
  const result = await runProgram(context, ["sh", "-c", 'echo "$0"; echo no >&2; exit 7', "$(id)"]);
  expect(result).toEqual({ code: 7, stdout: "$(id)\n", stderr: "no\n" });
});

test("one that prints without an end, does not end, or is not there is an error with a reason", async () => {
  await expect(runProgram(context, ["sh", "-c", "yes"])).rejects.toThrow("printed more than 8 MiB");
  await expect(runProgram({ ...context, timeLimitMs: 50 }, ["sleep", "60"])).rejects.toThrow(
    "did not end within 0.05 s",
  );
  await expect(runProgram(context, ["bowline-no-such-program"])).rejects.toMatchObject({
    code: "MissingProgram",
    details: { reason: "EngineMissing" },
  });
});

test("one that nobody waits for any more is ended", async () => {
  const controller = new AbortController();
  const run = runProgram({ ...context, signal: controller.signal }, ["sleep", "60"]);
  controller.abort();
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
});

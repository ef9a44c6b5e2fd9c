import { InvalidArgumentError, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";

export interface DemoOptions {
  readonly port: number;
}

export function addDemoCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("demo")
    .description(
      "Run a server with two simulated clusters on this machine, and watch them. Ctrl-C ends it and removes everything it made.\n\nWhat it keeps while it runs is in .bowline/demo, and the context demo is for it. As root on Linux, the agent of one cluster runs in a network into which nobody can call.",
    )
    .option("--port <PORT>", "Where the server listens on 127.0.0.1", parsePort, 7443)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import("./run-demo.ts");
      await runDemo(context, options);
    });
  addExamples(command, [
    { does: "Look around", run: "bowline demo" },
    { does: "Beside a server that runs already", run: "bowline demo --port 7444" },
  ]);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a whole number from 1 to 65535.");
}

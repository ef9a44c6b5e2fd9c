#!/usr/bin/env node
import type { CommandSet } from "./command/command-set.ts";
import { runProcess } from "./run-process.ts";

/** The commands in the image of the agent: a cluster runs no more code than its agent takes. */
const agentImageCommands: CommandSet = {
  place: "the image of the agent",
  commands: [
    {
      name: "agent",
      group: "run",
      summary: "Run the agent of a cluster",
      load: async () => (await import("./commands/agent.ts")).loadAgentCommand(),
    },
    {
      name: "version",
      group: "learn",
      summary: "Show the versions of this program and of the server",
      load: async () => (await import("./commands/version.ts")).addVersionCommand,
    },
  ],
  examples: [
    { does: "Run the agent, with the token from a Secret", run: "BOWLINE_JOIN_TOKEN=… bowline agent" },
  ],
};

process.exitCode = await runProcess(process, agentImageCommands);

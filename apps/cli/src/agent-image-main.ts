#!/usr/bin/env node
import { agentImageCommands } from "./commands/agent-image-commands.ts";
import { runProcess } from "./run-process.ts";

process.exitCode = await runProcess(process, agentImageCommands);

import { env, stdout } from "node:process";

import { systemClock } from "@bowline/core";

import { AwsProcess } from "../aws-process.ts";

/** Asks for a token, and prints when the process for AWS has ended: there is nothing else to keep this one alive. */
const api = new AwsProcess({ clock: systemClock, env });
const key = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "not-a-secret" };
await api.token({ region: "eu-west-1", key }, "web");
await api[Symbol.asyncDispose]();
stdout.write("closed");

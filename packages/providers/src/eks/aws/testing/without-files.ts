import { openSync } from "node:fs";
import { env, stdout } from "node:process";

import { systemClock } from "@bowline/core";

import { AwsProcess } from "../aws-process.ts";

/** Prints how a call ends that is made when this process may open nothing more. */
const api = new AwsProcess({ clock: systemClock, env });
stdout.write("");
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  const error: unknown = await api.send({ region: "eu-west-1" }, "iam:ListRoles", {}).catch((each) => each);
  stdout.write(String(error));
}

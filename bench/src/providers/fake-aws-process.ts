/** A part of AWS in a process of its own, whose NAT gateway takes seconds where that of AWS takes minutes. */
import { systemClock } from "@bowline/core";
import { FakeAws } from "@bowline/test-aws";

import { answerCommands } from "../measure-process.ts";
import type { StartedAws } from "./measure-sdk.ts";

/** The policy that the guide asks for. */
const boundaryName = "bowline-boundary";
const seconds = 1_000;

let aws: FakeAws | undefined;

async function start(): Promise<StartedAws> {
  aws = await FakeAws.start({ clock: systemClock });
  Object.assign(aws.world.settings.times, { natGatewayMs: 2 * seconds });
  aws.addPolicy(boundaryName);
  return { url: aws.url, key: aws.addUser("bowline") };
}

answerCommands({
  start: () => start(),
  calls: () => Promise.resolve(aws?.calls.length ?? 0),
});

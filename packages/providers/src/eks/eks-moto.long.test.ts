import { motoTest, startMoto, type MotoServer } from "@bowline/test-services";
import { afterAll, beforeAll, describe } from "vitest";

import { providerContract } from "../testing/provider-contract.ts";
import { motoStage } from "./testing/moto-stage.ts";

const { skip, timeoutMs } = await motoTest(process.env);

describe.skipIf(skip)("on moto", () => {
  let server: MotoServer | undefined;

  beforeAll(async () => {
    server = await startMoto();
  }, timeoutMs);

  afterAll(() => server?.[Symbol.asyncDispose]());

  providerContract(
    "eks",
    motoStage(() => {
      if (server === undefined) throw new Error("There is no moto yet.");
      return server;
    }),
  );
});

import { kinds } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

import { openFuzzServer } from "../fuzz-server.ts";
import { rawExchange, statusesIn } from "./raw-exchange.ts";

const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("HEAD of what can be watched is over at once, and the connection goes on", async () => {
  await using folder = await createTempFolder("head");
  await using server = await openFuzzServer({ type: "sqlite", file: `${folder.path}/bowline.db` });
  for (const plural of [...kinds.map((kind) => kind.plural), "events"]) {
    for (const parameters of ["watch=true", "watch=true&resourceVersion=1"]) {
      const head = `HEAD /api/v1/${plural}?${parameters} HTTP/1.1\r\nHost: x\r\n`;
      const parts = [`${head}Authorization: Bearer ${server.secrets.admin}\r\n\r\n${last}`];
      expect(statusesIn(await rawExchange({ port: server.port, parts }))).toEqual([200, 200]);
    }
  }
});

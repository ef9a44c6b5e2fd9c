import { sendJson, TestServer } from "@bowline/client/testing";
import { expect, test } from "vitest";

import { TestHome } from "../testing/test-home.ts";

test("version shows what it can", async () => {
  await using home = await TestHome.create();
  expect(await home.run(["version"])).toMatchObject({ code: 0, out: "Client: 1.2.3\n", error: "" });
  await using server = await TestServer.start((_request, response) =>
    sendJson(response, 200, { version: "2.0.0" }),
  );
  const environment = { BOWLINE_SERVER: server.url };
  expect(await home.run(["version", "-o", "json"], { environment })).toMatchObject({
    code: 0,
    out: `{\n  "client": "1.2.3",\n  "node": "${process.version}",\n  "server": "2.0.0"\n}\n`,
  });
  await server[Symbol.asyncDispose]();
  expect(await home.run(["version"], { environment })).toMatchObject({
    code: 1,
    out: "Client: 1.2.3\n",
    error: expect.stringContaining("Nothing listens at"),
  });
  expect(await home.run(["version", "--client"], { environment })).toMatchObject({
    code: 0,
    out: "Client: 1.2.3\n",
  });
});

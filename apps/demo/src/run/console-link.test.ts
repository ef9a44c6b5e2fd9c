import { expect, onTestFinished, test } from "vitest";

import { ConsoleLink } from "./console-link.ts";

async function openLink(createCode: () => Promise<string>): Promise<string> {
  const link = await ConsoleLink.open({ consoleUrl: "http://127.0.0.1:7080/ui/", createCode });
  onTestFinished(() => link.close());
  return link.url;
}

const follow = (url: string, method = "GET"): Promise<Response> => fetch(url, { method, redirect: "manual" });

test("each click has a code of its own, where no log and no other site sees it", async () => {
  let made = 0;
  const url = await openLink(() => Promise.resolve(`bwc_${(made += 1)}`));
  const [first, second] = [await follow(url), await follow(url)];
  expect([first.status, first.headers.get("location")]).toEqual([
    302,
    "http://127.0.0.1:7080/ui/#code=bwc_1",
  ]);
  expect(second.headers.get("location")).toBe("http://127.0.0.1:7080/ui/#code=bwc_2");
  expect(first.headers.get("cache-control")).toBe("no-store");
});

test("whoever does not know the whole address gets nothing", async () => {
  let made = 0;
  const url = await openLink(() => Promise.resolve(`bwc_${(made += 1)}`));
  for (const other of [new URL("/", url).href, url.slice(0, -1), `${url}0`, `${url}?a=b`]) {
    expect((await follow(other)).status).toBe(404);
  }
  expect((await follow(url, "POST")).status).toBe(404);
  expect(made).toBe(0);
});

test("a server that cannot make a code is told of", async () => {
  const url = await openLink(() => Promise.reject(new Error("gone")));
  expect((await follow(url)).status).toBe(503);
});

import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { KubeClient } from "./kube-client.ts";
import { listAll, listPages } from "./list-pages.ts";
import { resources } from "./resources.ts";

/** Pods 0 to 6 behind a paged list that can forget the version it began at. */
class PagedServer implements Transport {
  readonly detectsDeadPeer = true;
  readonly asked: string[] = [];
  /** How many continue tokens expire from now on. */
  expirations = 0;
  readonly #names = ["0", "1", "2", "3", "4", "5", "6"];

  request(request: KubeRequest): Promise<KubeResponse> {
    const { searchParams } = new URL(request.path, "http://x");
    this.asked.push(searchParams.toString());
    const token = searchParams.get("continue") ?? "";
    if (token.startsWith("at:") && this.expirations > 0) {
      this.expirations -= 1;
      const status = {
        kind: "Status",
        reason: "Expired",
        code: 410,
        message: "too old",
        metadata: { continue: token.replace("at:", "newer:") },
      };
      return answer(410, status);
    }
    const from = Number(token.split(":")[1] ?? 0);
    const limit = Number(searchParams.get("limit") ?? this.#names.length);
    const items = this.#names.slice(from, from + limit).map((name) => ({ metadata: { name } }));
    const rest = from + limit < this.#names.length ? { continue: `at:${from + limit}` } : {};
    return answer(200, {
      kind: "PodList",
      apiVersion: "v1",
      metadata: { resourceVersion: "9", ...rest },
      items,
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function answer(status: number, body: object): Promise<KubeResponse> {
  const headers = { "content-type": "application/json" };
  return Promise.resolve({ status, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) });
}

async function namesOf(server: PagedServer): Promise<(string | undefined)[][]> {
  const pages: (string | undefined)[][] = [];
  for await (const page of listPages(new KubeClient(server), resources.pods, { pageSize: 3 })) {
    pages.push(page.items.map((item) => item.metadata.name));
  }
  return pages;
}

const everything = ["0", "1", "2", "3", "4", "5", "6"];

describe("listPages", () => {
  it("follows the continue tokens to the end", async () => {
    expect(await namesOf(new PagedServer())).toEqual([["0", "1", "2"], ["3", "4", "5"], ["6"]]);
  });

  it("asks for no page that is not wanted", async () => {
    const server = new PagedServer();
    for await (const page of listPages(new KubeClient(server), resources.pods, { pageSize: 3 })) {
      if (page.items.length > 0) break;
    }
    expect(server.asked).toEqual(["limit=3"]);
  });

  it("fails when the version expired, and says where a list could go on at a newer one", async () => {
    const server = new PagedServer();
    server.expirations = 1;
    await expect(namesOf(server)).rejects.toMatchObject({
      code: "Expired",
      retryable: true,
      details: { continueToken: "newer:3" },
    });
  });
});

describe("listAll", () => {
  it("gathers the pages into one list of one version", async () => {
    const list = await listAll(new KubeClient(new PagedServer()), resources.pods, { pageSize: 2 });
    expect(list).toMatchObject({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9" } });
    expect(list.metadata.continue).toBeUndefined();
    expect(list.items.map((item) => item.metadata.name)).toEqual(everything);
  });

  it.each([
    [1, "starts again", "limit=3&continue=at%3A6"],
    [2, "then asks for everything at once", ""],
  ])("when the version expired %i times it %s, and nothing comes twice", async (expirations, _what, last) => {
    const server = new PagedServer();
    server.expirations = expirations;
    const list = await listAll(new KubeClient(server), resources.pods, { pageSize: 3 });
    expect(list.items.map((item) => item.metadata.name)).toEqual(everything);
    expect(server.asked.at(-1)).toBe(last);
  });
});

import { randomInt } from "node:crypto";
import { Agent } from "node:http";
import { isDeepStrictEqual } from "node:util";

import { openApiDocument } from "@bowline/api";
import type { DatabaseOptions } from "@bowline/store";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openFuzzServer, type FuzzServer, type StoredState } from "../fuzz-server.ts";
import { exchange, type WireAnswer, type WireRequest } from "../wire-request.ts";
import { operationsOf, type Operation } from "./operations.ts";
import { verdictOn } from "./referee.ts";
import type { MutatedRequest } from "./mutation.ts";
import { trialProblems } from "./trial-problems.ts";
import { validRequests } from "./valid-requests.ts";
import { addressMutations } from "./address-mutations.ts";
import { bodyMutations } from "./body-mutations.ts";
import { headerMutations } from "./header-mutations.ts";

export interface FuzzOptions {
  /** Where the tests' database is; it goes with the stack. */
  readonly openDatabase: (stack: AsyncDisposableStack) => Promise<DatabaseOptions>;
  /** For each operation, unless FUZZ_RUNS says otherwise. */
  readonly runs: number;
}

/** The outcome of a request. */
interface Trial {
  readonly status: number;
  readonly text: string;
  /** Empty if all is as it should be. */
  readonly problems: readonly string[];
}

/** Choose one with FUZZ_SEED to see the same requests again. */
const firstSeed = Number(process.env["FUZZ_SEED"] ?? randomInt(1_000_000));
const timeoutMs = 3_600_000;
const maxShown = 1_500;

/** Holds the server to its own description: what that allows is understood, what it does not is refused. */
export function fuzzDocument(databaseName: string, { openDatabase, runs }: FuzzOptions): void {
  const numRuns = Number(process.env["FUZZ_RUNS"] ?? runs);
  const stack = new AsyncDisposableStack();
  const agent = new Agent({ keepAlive: true });
  let server: FuzzServer;
  let cursors: ReadonlyMap<string, string>;
  let state: StoredState;

  beforeAll(async () => {
    server = stack.use(await openFuzzServer(await openDatabase(stack)));
    cursors = await gatherCursors((request) => send(request));
    state = await server.state();
  });

  afterAll(async () => {
    agent.destroy();
    await stack.disposeAsync();
  });

  const send = (request: WireRequest, hasCaller = false): Promise<WireAnswer> => {
    const authorization = [["Authorization", `Bearer ${server.secrets.admin}`]] as const;
    const headers = hasCaller ? request.headers : [...request.headers, ...authorization];
    return exchange({ port: server.port, agent }, { ...request, headers });
  };

  const trial = async (operation: Operation, mutated: MutatedRequest): Promise<Trial> => {
    const answer = await send(mutated.request, mutated.hasCaller);
    const before = state;
    state = await server.state();
    const { status, text } = answer;
    const mayWrite = status < 400 && !isRead(mutated.request);
    const problems = [
      ...trialProblems(operation, mutated, answer),
      ...(mayWrite || isDeepStrictEqual(before, state) ? [] : ["something was written"]),
    ];
    return { status, text: text.slice(0, maxShown), problems };
  };

  describe.each(documentedOperations().map((operation, index) => ({ operation, seed: firstSeed + index })))(
    `What the document says of $operation.id, on ${databaseName}, with the seed ${firstSeed}`,
    ({ operation, seed }) => {
      const valid = validRequests(operation);

      test("a request that follows it is understood", { timeout: timeoutMs }, async () => {
        const property = fc.asyncProperty(valid, async (request) => {
          expect(verdictOn(operation, request)).toBe("allowed");
          const outcome = await trial(operation, { what: "nothing", request, expects: "judged" });
          expect(outcome).toMatchObject({ problems: [] });
        });
        await fc.assert(property, { seed, numRuns, reporter: report });
      });

      test("a request that does not is refused, and nothing is written", { timeout: timeoutMs }, async () => {
        const mutated = mutatedRequests(operation, valid, { cursor: cursors.get(operation.id) });
        const property = fc.asyncProperty(mutated, async (request) => {
          expect(await trial(operation, request)).toMatchObject({ problems: [] });
        });
        await fc.assert(property, { seed, numRuns: 2 * numRuns, reporter: report });
      });
    },
  );

  test("this is the document that the server shows", async () => {
    const { text } = await send({ method: "GET", path: "/openapi.json", query: [], headers: [] });
    expect(operationsOf(text)).toEqual(documentedOperations());
  });

  test("nothing of all this was the server's fault", () => {
    expect(server.log).toEqual([]);
  });
}

/** As the server should show it. Tests have to be known before there is a server to ask. */
function documentedOperations(): Operation[] {
  return operationsOf(JSON.stringify(openApiDocument({ version: "1.2.3" })));
}

/** A cursor of every list there is, by the operation that takes it; those of single objects have too little for a page. */
async function gatherCursors(
  send: (request: WireRequest) => Promise<WireAnswer>,
): Promise<ReadonlyMap<string, string>> {
  const lists = documentedOperations().filter(
    ({ parameters, path }) => !path.includes("{") && parameters.some(({ name }) => name === "cursor"),
  );
  const cursors = await Promise.all(
    lists.map(async ({ id, path }): Promise<[string, string]> => {
      const { text } = await send({ method: "GET", path, query: [["limit", "1"]], headers: [] });
      return [id, String(JSON.parse(text).metadata.cursor)];
    }),
  );
  return new Map(cursors);
}

function isRead({ method, query }: WireRequest): boolean {
  const isDryRun = query.some(([name, value]) => name === "dryRun" && ["true", "1", ""].includes(value));
  return isDryRun || method === "GET" || method === "HEAD";
}

/** In a few lines, with what has to be known to see it again. */
function report<Request>(details: fc.RunDetails<[Request]>): void {
  if (!details.failed) return;
  const [found] = details.counterexample ?? [];
  const json = JSON.stringify(found, (_, value: unknown) => {
    const text = isBytes(value) ? Buffer.from(value.data).toString("utf8") : value;
    return typeof text === "string" && text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  });
  const { seed, counterexamplePath, numRuns, errorInstance } = details;
  throw new Error(`Seed ${seed}, path ${counterexamplePath}, after ${numRuns} runs: ${json}`, {
    cause: errorInstance,
  });
}

function isBytes(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data);
}

interface MutationOptions {
  /** One that the server gave out, where it does so. */
  readonly cursor: string | undefined;
}

/** Requests that are like those the document describes, and wrong in one way. */
function mutatedRequests(
  operation: Operation,
  valid: fc.Arbitrary<WireRequest>,
  options: MutationOptions,
): fc.Arbitrary<MutatedRequest> {
  const possible = [...bodyMutations, ...addressMutations(options.cursor), ...headerMutations].filter(
    ({ on }) => on(operation),
  );
  return fc.tuple(valid, fc.constantFrom(...possible)).chain(([request, mutation]) =>
    mutation.change(request, operation).map((changed) => ({
      what: mutation.what,
      request: changed,
      expects: mutation.expects,
      ...(mutation.hasCaller === undefined ? {} : { hasCaller: mutation.hasCaller }),
    })),
  );
}

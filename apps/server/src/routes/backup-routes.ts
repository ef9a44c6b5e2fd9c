import { finished } from "node:stream/promises";
import { pipeline, Transform, type Readable, type TransformCallback } from "node:stream";

import { backupKind, type AuditRecord } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import type { Store } from "@bowline/store";
import type { FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { flagOf, readQuery } from "../http/query.ts";
import { requestRecord } from "../http/request-records.ts";
import { requireAdmin } from "./require-admin.ts";

export interface BackupRoutesOptions {
  readonly store: Pick<Store, "backup" | "audit">;
  readonly clock: Pick<Clock, "after">;
  /** Of Bowline. */
  readonly version: string;
  readonly maxBackups?: number | undefined;
  /** The longest a reader may take nothing: what the database has to remember for it grows meanwhile. */
  readonly maxStallMs?: number | undefined;
}

/** The whole database, for admins. Both its beginning and its end are in the audit log: half of one is much, too. */
export function backupRoutes(options: BackupRoutesOptions): ApiPlugin {
  const { store, clock, version, maxBackups = 2, maxStallMs = 60_000 } = options;
  let open = 0;
  const note = (request: FastifyRequest, facts: Pick<AuditRecord, "outcome" | "httpStatus" | "message">) =>
    store.audit.append([requestRecord(request, { verb: "read", kind: backupKind, ...facts })]);
  /** The end of a whole one is written down before its last byte is sent. */
  const recorded = async function* (
    bytes: Readable,
    request: FastifyRequest,
    rows: () => number,
  ): AsyncGenerator<Buffer> {
    yield* bytes;
    await note(request, complete(rows()));
  };
  const noteEnd = async (bytes: Readable, request: FastifyRequest): Promise<void> => {
    const error = await endOf(bytes);
    open -= 1;
    if (error === undefined) return;
    try {
      await note(request, cutShort);
    } catch (cause) {
      request.log.warn({ err: cause }, "The end of a backup is not in the audit log");
    }
  };
  return (app) => {
    app.post("/api/v1/backup", async (request, reply) => {
      requireAdmin(request, "make a backup, which holds everything");
      const history = !flagOf(readQuery(request, ["noHistory"]), "noHistory");
      if (open >= maxBackups) throw tooMany(maxBackups);
      open += 1;
      try {
        await note(request, { outcome: "allowed", httpStatus: 200, message: "A backup has begun." });
        let rows = 0;
        const bytes = await store.backup({
          version,
          history,
          onEnd: (trailer) => {
            rows = Object.values(trailer.rows).reduce((sum, count) => sum + count, 0);
          },
        });
        const watched = withoutStall(bytes, clock, maxStallMs, (chunks) =>
          recorded(chunks, request, () => rows),
        );
        void noteEnd(watched, request);
        return reply.type("application/gzip").send(watched);
      } catch (error) {
        open -= 1;
        throw error;
      }
    });
  };
}

const cutShort = {
  outcome: "failed",
  httpStatus: 499,
  message: "A backup ended before it was complete.",
} as const;

function complete(rows: number) {
  return { outcome: "allowed", httpStatus: 200, message: `A backup of ${rows} rows is complete.` } as const;
}

/** Resolves to what ended the stream early. */
async function endOf(bytes: Readable): Promise<unknown> {
  try {
    await finished(bytes);
    return undefined;
  } catch (error) {
    return error ?? new Error("It was cut off.");
  }
}

function tooMany(count: number): BowlineError {
  return new BowlineError(
    "TooManyRequests",
    `${count} backups are being made, which is as many as this server does at once; try again when they are complete.`,
  );
}

/** Ends the stream when nobody takes anything from it. */
function withoutStall(
  bytes: Readable,
  clock: Pick<Clock, "after">,
  maxStallMs: number,
  through: (chunks: Readable) => AsyncGenerator<Buffer>,
): Readable {
  const guarded = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      cancel();
      cancel = clock.after(maxStallMs, stop);
      done(null, chunk);
    },
  });
  const stop = (): void => {
    guarded.destroy(new BowlineError("Timeout", "The backup was read too slowly."));
  };
  let cancel = clock.after(maxStallMs, stop);
  return pipeline(bytes, through, guarded, () => cancel());
}

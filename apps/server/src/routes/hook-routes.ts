import {
  ConfigSource,
  Credential,
  parseFieldSelector,
  WorkloadDefinition,
  type GitSource,
  type HookAnswer,
} from "@bowline/api";
import { BowlineError, hasCode, RateTable, type Clock } from "@bowline/core";
import { normaliseUrl, readWebhook, refPrefixes, type WebhookDelivery } from "@bowline/git";
import type { ObjectStore } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import { readQuery } from "../http/query.ts";
import type { SourceStatus } from "../sources/source-status.ts";
import { findObjects } from "../workloads/find-objects.ts";

export interface HookRoutesOptions {
  readonly objects: Pick<ObjectStore, "list" | "reveal" | "writeStatus">;
  readonly clock: Clock;
}

/** The usual push has some kilobytes; one of a thousand commits, most of a megabyte. */
const maxBodyBytes = 1024 * 1024;
const deliveryRate = { perSecond: 10, burst: 50 };
const hookId = /^[0-9a-f]{32}$/u;

/**
 * Where git hosts tell of pushes. Whoever has the secret is believed nothing but which repository and which refs to look
 * at; that is written down before the answer, so that no controller can miss it.
 */
export function hookRoutes({ objects, clock }: HookRoutesOptions): ApiPlugin {
  const deliveries = new RateTable(deliveryRate, clock);
  return async (app) => {
    await app.register(async (scope) => {
      // The bytes are what is signed.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
      scope.post<{ Params: { id: string } }>(
        "/hooks/git/:id",
        { config: { open: true }, bodyLimit: maxBodyBytes },
        async (request, reply) => {
          readQuery(request, []);
          const { id } = request.params;
          if (!hookId.test(id)) throw noHook();
          const waitMs = deliveries.take(id);
          if (waitMs > 0) throw tooMany(waitMs);
          const secret = await secretOf(objects, id);
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const delivery = readWebhook({ headers: request.headers, body, secret });
          const answer: HookAnswer = { woken: await wake({ objects, clock }, delivery) };
          return reply.code(202).send(answer);
        },
      );
    });
  };
}

function noHook(): BowlineError {
  return new BowlineError(
    "NotFound",
    "There is no webhook at this address; copy it from the status of its source.",
  );
}

function tooMany(waitMs: number): BowlineError {
  const message = `More than ${deliveryRate.perSecond} deliveries a second come for this webhook.`;
  return new BowlineError("TooManyRequests", message, {
    details: { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  });
}

type Objects = HookRoutesOptions["objects"];

/** What deliveries to the address are signed with. */
async function secretOf(objects: Objects, id: string): Promise<string> {
  const name = (await definitionHook(objects, id)) ?? (await configHook(objects, id));
  if (name === undefined) throw noHook();
  const token = (await objects.reveal(Credential, name))?.spec.data?.["token"];
  if (token !== undefined) return token;
  throw new BowlineError("Conflict", `The webhook cannot be used: the Credential ${name} has no token.`, {
    retryable: false,
  });
}

async function definitionHook(objects: Objects, id: string): Promise<string | undefined> {
  const fields = parseFieldSelector(WorkloadDefinition, `status.source.webhook=${id}`);
  const { items } = await objects.list(WorkloadDefinition, { fields, limit: 1 });
  return items[0]?.spec.source.git?.webhook?.credential;
}

async function configHook(objects: Objects, id: string): Promise<string | undefined> {
  const fields = parseFieldSelector(ConfigSource, `status.source.webhook=${id}`);
  const { items } = await objects.list(ConfigSource, { fields, limit: 1 });
  return items[0]?.spec.git.webhook?.credential;
}

async function wake(
  { objects, clock }: HookRoutesOptions,
  delivery: WebhookDelivery,
): Promise<HookAnswer["woken"]> {
  if (!delivery.accepted) {
    if (delivery.reason === "notPush") return [];
    throw refusal(delivery);
  }
  if (delivery.event === "ping") return [];
  const definitions = (await findObjects(objects, WorkloadDefinition)).filter(({ spec }) =>
    isMeant(spec.source.git, delivery),
  );
  const sources = (await findObjects(objects, ConfigSource)).filter(({ spec }) =>
    isMeant(spec.git, delivery),
  );
  const pushedAt = new Date(clock.now()).toISOString();
  const told = <S extends SourceStatus>(status: S): S => ({
    ...status,
    source: { ...status.source, pushedAt },
  });
  for (const { metadata } of definitions) {
    await unlessGone(
      objects.writeStatus(WorkloadDefinition, metadata.name, ({ status }) => told(status), {
        id: metadata.id,
      }),
    );
  }
  for (const { metadata } of sources) {
    await unlessGone(
      objects.writeStatus(ConfigSource, metadata.name, ({ status }) => told(status), { id: metadata.id }),
    );
  }
  return [...definitions, ...sources].map(({ kind, metadata }) => ({ kind, name: metadata.name }));
}

/** It may have been deleted in the meantime. */
async function unlessGone(written: Promise<unknown>): Promise<void> {
  await written.catch((thrown: unknown) => {
    if (!hasCode(thrown, "NotFound")) throw thrown;
  });
}

type Push = Extract<WebhookDelivery, { readonly accepted: true }>;

function isMeant(git: GitSource | undefined, { repositories, refs }: Push): boolean {
  const own = git === undefined ? undefined : normaliseUrl(git.url);
  if (git === undefined || own === undefined || !repositories.includes(own)) return false;
  return refs.length === 0 || git.ref === "HEAD" || refPrefixes(git.ref).some((name) => refs.includes(name));
}

function refusal({ reason, message }: Extract<WebhookDelivery, { readonly accepted: false }>): BowlineError {
  if (reason === "badSignature" || reason === "unsigned") return new BowlineError("Unauthorized", message);
  return new BowlineError(reason === "tooLarge" ? "BodyTooLarge" : "BadRequest", message);
}

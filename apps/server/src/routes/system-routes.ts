import { createHash } from "node:crypto";

import { openApiDocument, type Kind, type OpenApiOptions } from "@bowline/api";
import type { Metrics } from "@bowline/core";
import { metricsAnswer, probeAnswer, type Health } from "@bowline/program/health";
import type { FastifyInstance } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { flagOf, readQuery } from "../http/query.ts";

export interface SystemRoutesOptions {
  /** Whether clients should be sent here. */
  readonly readiness: Health;
  readonly metrics: Metrics;
  /** Shows the metrics to everybody; otherwise they need a token of any role. */
  readonly openMetrics?: boolean | undefined;
  /** Of the program. */
  readonly version: string;
  /** The kinds that the API's description describes. */
  readonly kinds?: readonly Kind[] | undefined;
}

/** Answers about the server itself: probes, metrics, its version, and the description of the API. */
export function systemRoutes(options: SystemRoutesOptions): ApiPlugin {
  const { readiness, metrics, openMetrics = false, version, kinds } = options;
  return (app) => {
    // A process that answers should be let live.
    probeRoute(app, "healthz");
    probeRoute(app, "livez");
    probeRoute(app, "readyz", readiness);
    metricsRoute(app, metrics, openMetrics);
    app.get("/version", { config: { open: true } }, () => ({ version }));
    openApiRoute(app, { version, ...(kinds === undefined ? {} : { kinds }) });
  };
}

/** A probe needs no token, because kubelet and load balancers have none; reasons are searched for secrets. */
function probeRoute(app: FastifyInstance, name: string, health?: Health): void {
  app.get(`/${name}`, { config: { open: true } }, async (request, reply) => {
    const isVerbose = flagOf(readQuery(request, ["verbose"]), "verbose");
    const { status, headers, text } = await probeAnswer(name, health, isVerbose);
    return reply.code(status).headers(headers).send(text);
  });
}

/**
 * Metrics name no objects, but they tell a stranger how large and how busy the installation is, and the server has an
 * address that agents reach from anywhere. So they need a token, which Prometheus can send, unless told otherwise.
 */
function metricsRoute(app: FastifyInstance, metrics: Metrics, isOpen: boolean): void {
  app.get("/metrics", { config: { open: isOpen } }, async (_request, reply) => {
    const { headers, text } = await metricsAnswer(metrics);
    return reply.headers(headers).send(text);
  });
}

/** The description of the API. It is what it is until another version of the server starts, so it is made once. */
function openApiRoute(app: FastifyInstance, options: OpenApiOptions): void {
  const text = JSON.stringify(openApiDocument(options));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  app.get("/openapi.json", { config: { open: true } }, (request, reply) => {
    // Kept by whoever wants to, and asked about each time.
    reply.header("etag", etag).header("cache-control", "no-cache");
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(text);
  });
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//u, "")) ?? [];
  return known.includes(etag) || known.includes("*");
}

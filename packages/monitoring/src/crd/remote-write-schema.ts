import { choice, flag, integer, list, map, object, optional, text } from "@bowline/api";

import { anyKey, httpUrl, prometheusDuration } from "./field-schemas.ts";
import {
  authorizationSchema,
  azureAdSchema,
  basicAuthSchema,
  oauth2Schema,
  proxyFields,
  sigv4Schema,
  tlsSchema,
} from "./http-client-schema.ts";
import { relabeling, relabelingLimits } from "./relabeling-schema.ts";

const count = { minimum: 0, maximum: 1_000_000_000 };

const queueConfig = object("How samples are queued.", {
  capacity: optional(integer("Samples that each shard of the queue holds.", count)),
  minShards: optional(integer("The fewest shards of the queue.", count)),
  maxShards: optional(integer("The most shards of the queue.", count)),
  maxSamplesPerSend: optional(integer("The most samples in one request.", count)),
  batchSendDeadline: optional(text("How long samples wait for a full request.", prometheusDuration)),
  minBackoff: optional(text("The shortest wait before another try.", prometheusDuration)),
  maxBackoff: optional(text("The longest wait before another try.", prometheusDuration)),
  retryOnRateLimit: optional(flag("Whether to try again after the answer 429.")),
  sampleAgeLimit: optional(text("Older samples are dropped.", prometheusDuration)),
});

const metadataConfig = object("How metadata of metrics is sent.", {
  send: optional(flag("Whether it is sent.")),
  sendInterval: optional(text("How often.", prometheusDuration)),
  maxSamplesPerSend: optional(integer("The most metadata in one request.", count)),
});

export const remoteWrite = object("An address that samples are written to.", {
  url: text("The address.", httpUrl),
  name: optional(text("Tells it from others in metrics and logs.", { maxLength: 253 })),
  remoteTimeout: optional(text("How long a request may take.", prometheusDuration)),
  headers: optional(
    map("Headers to send.", text("A value.", { maxLength: 4096 }), {
      keys: anyKey,
      maxProperties: 64,
    }),
  ),
  messageVersion: optional(choice("The version of the protocol.", ["V1.0", "V2.0"])),
  sendExemplars: optional(flag("Whether exemplars are sent.")),
  sendNativeHistograms: optional(flag("Whether native histograms are sent.")),
  writeRelabelConfigs: optional(
    list("Rules that choose and change what is written.", relabeling, relabelingLimits),
  ),
  basicAuth: optional(basicAuthSchema),
  authorization: optional(authorizationSchema),
  oauth2: optional(oauth2Schema),
  sigv4: optional(sigv4Schema),
  azureAd: optional(azureAdSchema),
  tlsConfig: optional(tlsSchema),
  ...proxyFields,
  followRedirects: optional(flag("Whether redirects are followed.")),
  enableHTTP2: optional(flag("Whether HTTP/2 is spoken.")),
  queueConfig: optional(queueConfig),
  metadataConfig: optional(metadataConfig),
  roundRobinDNS: optional(flag("Whether all addresses of the name are used in turn.")),
});

/** How many an agent or an instance may have. */
export const remoteWriteLimits = { maxItems: 64 };

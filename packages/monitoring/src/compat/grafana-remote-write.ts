import { isFields, type FieldRules, type Translation } from "./translate-fields.ts";

const sigv4Rules: FieldRules = {
  same: ["region", "accessKey", "secretKey", "profile"],
  changed: { roleARN: (value, { fields }) => void (fields["roleArn"] = value) },
  none: {},
};

const queueRules: FieldRules = {
  same: [
    "capacity",
    "minShards",
    "maxShards",
    "maxSamplesPerSend",
    "batchSendDeadline",
    "minBackoff",
    "maxBackoff",
    "retryOnRateLimit",
  ],
  none: { maxRetries: "Prometheus tries again until a request succeeds or its samples are too old." },
};

const remoteWriteRules: FieldRules = {
  same: [
    "name",
    "url",
    "remoteTimeout",
    "headers",
    "writeRelabelConfigs",
    "basicAuth",
    "oauth2",
    "bearerToken",
    "bearerTokenFile",
    "tlsConfig",
    "proxyUrl",
    "metadataConfig",
  ],
  changed: {
    sigv4: (value, translation) =>
      void (translation.fields["sigv4"] = translation.part(value, "sigv4", sigv4Rules)),
    queueConfig: (value, translation) =>
      void (translation.fields["queueConfig"] = translation.part(value, "queueConfig", queueRules)),
  },
  none: {},
};

/** The list `remoteWrite` of an agent or an instance. What is no list or no object is for the renderer to report. */
export function translateRemoteWrites(value: unknown, translation: Translation): void {
  translation.fields["remoteWrite"] = Array.isArray(value)
    ? value.map((write: unknown, index) =>
        isFields(write) ? translation.part(write, `remoteWrite[${index}]`, remoteWriteRules) : write,
      )
    : value;
}

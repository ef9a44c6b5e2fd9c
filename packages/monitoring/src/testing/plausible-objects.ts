/** Objects that could be right: known fields at their places, with values that are good, odd or bad. */
import * as fc from "fast-check";

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const oddTexts =
  "|( |) |[ |a|b |$1 |${1} |% |0 |010 |1e3 |yes |null |~ |a: b |- a |#x |\\ |' |{{x}} |!!x |&a |*a |:// |http://[ |http://a b |http://a/%zz |http:a |[z-a] |(a{99}){99} |%zz |a,b |a;b |-1 |2001:db8::1 |a/b?c=d |é |💥 |\u2028 |\t |a\nb "
    .split(" |")
    .concat("", " ", '"', "\u0000", "x".repeat(300));

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("web", "a", "http://a", "__name__") },
  { weight: 2, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const texts = fc.array(text, { maxLength: 2 });
const textMap = fc.dictionary(text, text, { maxKeys: 2 });
const params = fc.dictionary(text, texts, { maxKeys: 2 });
const duration = fc.constantFrom("30s", "1m", "0", "0s", "10ms", "1y", "5m30s", "99999999y", "", "1.5s");
const count = fc.constantFrom(0, 1, 5, 1000, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER);
const size = fc.constantFrom("0", "1MB", "999999999999999EB", "5KiB", "1B", "9007199254740993");
const flag = fc.boolean();
const key = fc.constant({ name: "login", key: "value" });
const eitherKey = fc.constant({ secret: { name: "login", key: "value" } });
const tlsVersion = fc.constantFrom("TLS10", "TLS12", "TLS13");
const any = (fields: Fields): fc.Arbitrary<object> => fc.record(fields, { requiredKeys: [] });

/** A few of the optional fields: with all of them at once, hardly an object would be without a problem. */
function few(optional: Fields, required: Fields = {}): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(optional);
  return fc
    .subarray(fields, { maxLength: Math.min(3, fields.length) })
    .chain((chosen) => fc.record({ ...required, ...Object.fromEntries(chosen) }));
}

const actions =
  "replace keep drop hashmod labelmap labeldrop labelkeep lowercase uppercase keepequal dropequal Replace";
const rules = fc.array(
  any({
    action: fc.constantFrom(...actions.split(" ")),
    sourceLabels: texts,
    targetLabel: text,
    regex: text,
    replacement: text,
    separator: text,
    modulus: count,
  }),
  { maxLength: 2 },
);

const authorization = any({ type: text, credentials: key });
const tlsConfig = any({
  ca: fc.constantFrom("ca.crt", "value").map((of) => ({ secret: { name: "login", key: of } })),
  insecureSkipVerify: flag,
  serverName: text,
  minVersion: tlsVersion,
  maxVersion: tlsVersion,
});
const client: Fields = {
  basicAuth: any({ username: key, password: key }),
  authorization,
  oauth2: fc.record({
    clientId: eitherKey,
    clientSecret: key,
    tokenUrl: text,
    scopes: texts,
    endpointParams: textMap,
  }),
  bearerTokenSecret: key,
  tlsConfig,
  proxyUrl: text,
  noProxy: text,
  proxyFromEnvironment: flag,
};

const endpoints = fc.array(
  few({
    ...client,
    port: text,
    targetPort: fc.oneof(text, count),
    portNumber: count,
    path: text,
    scheme: fc.constantFrom("http", "https", "HTTP"),
    params,
    interval: duration,
    scrapeTimeout: duration,
    honorLabels: flag,
    honorTimestamps: flag,
    followRedirects: flag,
    enableHttp2: flag,
    filterRunning: flag,
    relabelings: rules,
    metricRelabelings: rules,
  }),
  { maxLength: 2 },
);

const limits: Fields = {
  sampleLimit: count,
  targetLimit: count,
  labelLimit: count,
  bodySizeLimit: size,
  keepDroppedTargets: count,
  jobLabel: text,
  podTargetLabels: texts,
  targetLabels: texts,
  attachMetadata: fc.record({ node: flag }),
};
const selector = any({
  matchLabels: textMap,
  matchExpressions: fc.array(
    any({ key: text, operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"), values: texts }),
    { maxLength: 1 },
  ),
});
const namespaceSelector = any({ any: flag, matchNames: texts });
const selectorMechanism = fc.constantFrom("RoleSelector", "RelabelConfig");
const common: Fields = { ...limits, namespaceSelector, selectorMechanism };

const probe = few(
  {
    ...limits,
    ...client,
    interval: duration,
    scrapeTimeout: duration,
    jobName: text,
    module: text,
    params: fc.array(fc.record({ name: text, values: texts }), { maxLength: 2 }),
    metricRelabelings: rules,
  },
  {
    prober: few({ path: text, proxyUrl: text }, { url: fc.constantFrom("a:9115", "b", "::", "a/b") }),
    targets: fc.oneof(
      fc.record({ staticConfig: fc.record({ static: texts, labels: textMap, relabelingConfigs: rules }) }),
      fc.record({ ingress: fc.record({ selector, namespaceSelector, relabelingConfigs: rules }) }),
    ),
  },
);

const scrapeConfig = few(
  {
    ...limits,
    ...client,
    scrapeInterval: duration,
    jobName: text,
    metricsPath: text,
    params,
    relabelings: rules,
    metricRelabelings: rules,
    httpSDConfigs: fc.array(few({ ...client, url: text, refreshInterval: duration }), { maxLength: 1 }),
    dnsSDConfigs: fc.array(any({ names: texts, type: fc.constantFrom("A", "SRV"), port: count }), {
      maxLength: 1,
    }),
    fileSDConfigs: fc.array(any({ files: texts }), { maxLength: 1 }),
  },
  { staticConfigs: fc.array(fc.record({ targets: texts, labels: textMap }), { maxLength: 2 }) },
);

const remoteWrite = few(
  {
    ...client,
    name: text,
    remoteTimeout: duration,
    headers: textMap,
    writeRelabelConfigs: rules,
    sigv4: any({ region: text, accessKey: key, secretKey: key, roleArn: text }),
    queueConfig: any({ capacity: count, minShards: count, batchSendDeadline: duration }),
    metadataConfig: any({ send: flag, sendInterval: duration }),
    bearerToken: text,
  },
  { url: fc.constantFrom("http://a", "https://b:1/x?y=z", "http://[::1]:9", "http://a b", "http://%zz") },
);

const root = few({
  externalLabels: textMap,
  scrapeInterval: duration,
  scrapeTimeout: duration,
  evaluationInterval: duration,
  remoteWrite: fc.array(remoteWrite, { maxLength: 2 }),
  shards: fc.constantFrom(1, 3),
  enforcedSampleLimit: count,
  enforcedBodySizeLimit: size,
  podTargetLabels: texts,
  replicaExternalLabelName: text,
  prometheusExternalLabelName: text,
  arbitraryFSAccessThroughSMs: fc.record({ deny: flag }),
  scrapeClasses: fc.array(
    fc.record({ name: text, default: fc.constant(true), relabelings: rules, tlsConfig, authorization }),
    { maxLength: 1 },
  ),
  bodySizeLimit: size,
});

/** The specs of a root and of one monitor of each kind. */
export const plausibleSpecs = fc.record({
  root,
  ServiceMonitor: few(common, { selector, endpoints }),
  PodMonitor: few(common, { selector, podMetricsEndpoints: endpoints }),
  Probe: probe,
  ScrapeConfig: scrapeConfig,
});

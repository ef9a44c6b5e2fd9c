/** How the collector reaches something over HTTP: TLS, proxies and who it says it is. */
import { choice, flag, list, map, object, optional, text } from "@bowline/api";

import { anyKey, httpUrl, secretKey, secretOrConfigMapKey, shortText } from "./field-schemas.ts";

const tlsVersions = ["TLS10", "TLS11", "TLS12", "TLS13"] as const;

const tlsFields = {
  insecureSkipVerify: optional(flag("Whether any certificate is accepted.")),
  ca: optional(secretOrConfigMapKey("The certificate authority that is trusted.")),
  cert: optional(secretOrConfigMapKey("The certificate that is shown.")),
  keySecret: optional(secretKey("The private key of that certificate.")),
  serverName: optional(text("The name that the certificate must have.", shortText)),
  minVersion: optional(choice("The oldest version of TLS that is accepted.", tlsVersions)),
  maxVersion: optional(choice("The newest version of TLS that is accepted.", tlsVersions)),
};

/** TLS without files of the collector. */
const safeTls = object("How TLS is spoken.", tlsFields);

export const tlsSchema = object("How TLS is spoken.", {
  ...tlsFields,
  caFile: optional(text("A file of the collector with the certificate authority.", shortText)),
  certFile: optional(text("A file of the collector with the certificate.", shortText)),
  keyFile: optional(text("A file of the collector with the private key.", shortText)),
});

export const proxyFields = {
  proxyUrl: optional(text("The proxy to go through.", shortText)),
  noProxy: optional(text("Hosts that are reached without the proxy.", shortText)),
  proxyFromEnvironment: optional(flag("Whether the collector's environment says which proxy to use.")),
  proxyConnectHeader: optional(
    map("Headers for the proxy.", list("Their values.", secretKey("A value."), { maxItems: 16 }), {
      keys: anyKey,
      maxProperties: 32,
    }),
  ),
};

export const basicAuthSchema = object("A user name and a password.", {
  username: optional(secretKey("The user name.")),
  password: optional(secretKey("The password.")),
});

export const authorizationSchema = object("The header Authorization.", {
  type: optional(text("The kind of credentials; Bearer without it.", shortText)),
  credentials: optional(secretKey("The credentials.")),
  credentialsFile: optional(text("A file of the collector with the credentials.", shortText)),
});

export const oauth2Schema = object("A token by the client credentials grant of OAuth 2.0.", {
  clientId: secretOrConfigMapKey("The id of the client."),
  clientSecret: secretKey("The secret of the client."),
  tokenUrl: text("Where tokens are given out.", httpUrl),
  scopes: optional(list("What to ask for.", text("A scope.", shortText), { maxItems: 64 })),
  endpointParams: optional(
    map("Parameters of the request.", text("A value.", shortText), { keys: anyKey, maxProperties: 32 }),
  ),
  tlsConfig: optional(safeTls),
  ...proxyFields,
});

export const sigv4Schema = object("Signatures of Amazon Web Services; empty for what the environment has.", {
  region: optional(text("The region.", shortText)),
  accessKey: optional(secretKey("The access key.")),
  secretKey: optional(secretKey("The secret key.")),
  profile: optional(text("A profile of the collector's configuration.", shortText)),
  roleArn: optional(text("A role to assume.", shortText)),
  useFIPSSTSEndpoint: optional(flag("Whether roles are assumed at an endpoint that follows FIPS.")),
  externalId: optional(text("The external id with which the role is assumed.", shortText)),
});

const clientId = optional(text("The id of the client.", shortText));
const tenantId = optional(text("The id of the tenant.", shortText));

export const azureAdSchema = object("An identity of Microsoft Entra; exactly one of the four.", {
  cloud: optional(choice("The cloud.", ["AzureChina", "AzureGovernment", "AzurePublic"])),
  managedIdentity: optional(object("A managed identity.", { clientId })),
  oauth: optional(
    object("A registered application.", {
      clientId,
      clientSecret: secretKey("The secret of the application."),
      tenantId,
    }),
  ),
  sdk: optional(object("Whatever the SDK finds.", { tenantId })),
  workloadIdentity: optional(object("The identity of the service account.", { clientId, tenantId })),
  scope: optional(text("What to ask for.", shortText)),
});

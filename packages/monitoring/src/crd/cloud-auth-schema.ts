/** Authentication by what a cloud gives its workloads. */
import { choice, flag, object, optional, text } from "@bowline/api";

import { secretKey } from "./key-selectors.ts";
import { shortText } from "./text-rules.ts";

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

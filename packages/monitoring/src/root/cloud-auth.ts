/** Authentication by what a cloud gives its workloads. */
import type { Scope } from "../check/scope.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";

/** An empty section is kept: it says to sign with whatever the environment of the collector has. */
export function sigv4(field: Field, scope: Scope): ConfigMap | undefined {
  return scope.since("2.26", field, () => {
    const accessKey = scope.secret(field.get("accessKey"));
    const secretKey = scope.secret(field.get("secretKey"));
    const hasBoth = accessKey !== undefined && secretKey !== undefined;
    return {
      region: field.get("region").word(),
      access_key: hasBoth ? accessKey : undefined,
      secret_key: hasBoth ? secretKey : undefined,
      profile: field.get("profile").word(),
      role_arn: field.get("roleArn").word(),
      use_fips_sts_endpoint: scope.since("2.54", field.get("useFIPSSTSEndpoint"), (flag) => flag.flag()),
      external_id: scope.since("3.8", field.get("externalId"), (id) => id.word()),
    };
  });
}

export function azureAd(field: Field, scope: Scope): ConfigMap | undefined {
  return scope.since("2.45", field, () => {
    checkOneIdentity(field);
    return azureAdConfig(field, scope);
  });
}

const identities = ["managedIdentity", "oauth", "sdk", "workloadIdentity"];

function checkOneIdentity(field: Field): void {
  if (identities.filter((name) => field.get(name).present).length !== 1) {
    field.reject(`${field.path} needs one of ${identities.join(", ")}.`, "Give exactly one of them.");
  }
}

function azureAdConfig(field: Field, scope: Scope): ConfigMap {
  return {
    cloud: field.get("cloud").choice(["AzureChina", "AzureGovernment", "AzurePublic"]),
    managed_identity: section(field.get("managedIdentity"), (identity) => ({
      client_id: identity.get("clientId").word(),
    })),
    oauth: scope.since("2.48", field.get("oauth"), (oauth) => ({
      client_id: oauth.get("clientId").word(),
      client_secret: scope.secret(oauth.get("clientSecret")),
      tenant_id: oauth.get("tenantId").word(),
    })),
    sdk: scope.since("2.52", field.get("sdk"), (sdk) => ({ tenant_id: sdk.get("tenantId").word() })),
    workload_identity: scope.since("3.7", field.get("workloadIdentity"), (identity) => ({
      client_id: identity.get("clientId").word(),
      tenant_id: identity.get("tenantId").word(),
    })),
    scope: scope.since("3.9", field.get("scope"), (text) => text.word()),
  };
}

function section(field: Field, read: (field: Field) => ConfigMap): ConfigMap | undefined {
  return field.present ? read(field) : undefined;
}

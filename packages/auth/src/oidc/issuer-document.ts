import { BowlineError, isRecord } from "@bowline/core";

import { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";
import { isTrustworthyUrl } from "./oidc-settings.ts";

/** What an issuer says about itself, as far as it is needed here. Addresses are those that can be trusted. */
export interface IssuerDocument {
  readonly keysUrl: string | undefined;
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  /** Whether it names itself in every answer to a browser (RFC 9207), so that one without is not from there. */
  readonly namesItself: boolean;
  /** How clients may show their secret. */
  readonly secretMethods: readonly string[];
}

/** Asks an issuer. `ResponseInvalid` when somebody else answers. */
export async function fetchIssuerDocument(
  issuer: string,
  options: FetchJsonOptions,
): Promise<IssuerDocument> {
  const url = `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const found = await fetchJson(url, options);
  const document = isRecord(found) ? found : {};
  if (document["issuer"] !== issuer)
    throw new BowlineError("ResponseInvalid", `What answers at ${issuer} says that it is another issuer.`);
  const methods = document["token_endpoint_auth_methods_supported"];
  return {
    keysUrl: addressIn(document["jwks_uri"]),
    authorizationUrl: addressIn(document["authorization_endpoint"]),
    tokenUrl: addressIn(document["token_endpoint"]),
    namesItself: document["authorization_response_iss_parameter_supported"] === true,
    // The default of the standard.
    secretMethods: Array.isArray(methods) ? methods.map(String) : ["client_secret_basic"],
  };
}

function addressIn(value: unknown): string | undefined {
  return typeof value === "string" && isTrustworthyUrl(value) ? value : undefined;
}

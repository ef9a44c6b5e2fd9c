import type { TextRule } from "../schema/text-rule.ts";

/** As in the Gateway API: in lower case, and a wildcard stands for whole labels, first only. */
export const hostName: TextRule = {
  pattern: "^(\\*\\.)?([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$",
  expects: "a host name in lower case such as shop.example.com or *.example.com",
  minLength: 3,
  // Listeners and certificates are named after the host, with something before it.
  maxLength: 240,
};

/** The same without a wildcard. */
export const domainName: TextRule = {
  pattern: "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$",
  expects: "a domain in lower case such as example.com, without a dot at its end",
  minLength: 3,
  maxLength: 240,
};

const pathLetter = "[-A-Za-z0-9_~!$&'()*+,;=:@]";
/** Neither `.` nor `..`: no HTTPRoute takes those, and whoever asks is led elsewhere. */
const pathElement = `(\\.{0,2}${pathLetter}|\\.{3})(\\.|${pathLetter})*`;

/** A prefix of whole elements of a path, as an HTTPRoute takes it. */
export const pathPrefix: TextRule = {
  pattern: `^/(${pathElement}(/${pathElement})*/?)?$`,
  expects: "a path such as / or /shop/api, without a query, and without . and .. as elements",
  minLength: 1,
  maxLength: 1024,
};

/** The name of an object of Kubernetes that may have dots, such as a GatewayClass or a Secret. */
export const kubernetesName: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
  expects: "lower-case letters, digits, '-' and '.', with a letter or digit first and last",
  minLength: 1,
  maxLength: 253,
};

/** `/shop` and `/shop/` are the same prefix. */
export function plainPath(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Whether a name is another one, or below it; a wildcard is below what it stands in. */
export function isInDomain(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The rules of names, labels and annotations, with the sentences the API server uses. Each returns what is wrong. */

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${qualified})?`;

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const qualifiedPattern = new RegExp(`^${qualified}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);

export type NameRule = (name: string) => string[];

export const dnsLabel: NameRule = (name) => [
  ...tooLong(name, 63),
  ...(labelPattern.test(name)
    ? []
    : [
        `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
      ]),
];

export const dnsSubdomain: NameRule = (name) => [
  ...tooLong(name, 253),
  ...(subdomainPattern.test(name)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
      ]),
];

export const dns1035Label: NameRule = (name) => [
  ...tooLong(name, 63),
  ...(label1035Pattern.test(name)
    ? []
    : [
        `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035}')`,
      ]),
];

/** Anything that can be one segment of a path. */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

export function qualifiedName(value: string): string[] {
  const [first = "", second, ...rest] = value.split("/");
  if (rest.length > 0) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === "") problems.push("prefix part must be non-empty");
    else problems.push(...dnsSubdomain(first).map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63).map((problem) => `name part ${problem}`));
  if (!qualifiedPattern.test(name)) {
    problems.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`,
    );
  }
  return problems;
}

export function validLabelValue(value: string): string[] {
  const problems = tooLong(value, 63);
  if (!labelValuePattern.test(value)) {
    problems.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValue}')`,
    );
  }
  return problems;
}

function tooLong(value: string, limit: number): string[] {
  return value.length > limit ? [`must be no more than ${limit} characters`] : [];
}

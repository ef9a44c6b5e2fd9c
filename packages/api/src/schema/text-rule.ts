/** A form that a string must have: the pattern for programs, the phrase for the person who got it wrong. */
export interface TextRule {
  /** Understood alike by JavaScript (with the `u` flag) and by RE2, which Kubernetes uses: no look-around. */
  readonly pattern: string;
  /** Completes "must be …". */
  readonly expects: string;
  readonly minLength?: number;
  readonly maxLength: number;
}

export const dnsLabel: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  expects: "lower-case letters, digits and '-', with a letter or digit first and last",
  minLength: 1,
  maxLength: 63,
};

/** The key of a label or an annotation: a name, or a DNS name, a slash and a name. */
export const qualifiedName: TextRule = {
  pattern:
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
  expects:
    "a label key: up to 63 letters, digits, '-', '_' and '.', with a letter or digit first and last, and before it an optional DNS name and '/'",
  minLength: 1,
  maxLength: 317,
};

export const labelValue: TextRule = {
  pattern: "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
  expects: "letters, digits, '-', '_' and '.', with a letter or digit first and last",
  maxLength: 63,
};

/** Text by people for people, which ends up in tables: one line, nothing that a terminal would obey. */
export const singleLine: TextRule = {
  pattern: "^[^\\p{Cc}]*$",
  expects: "a single line without control characters",
  maxLength: 253,
};

/** Names of users and groups, also of those whom only an OIDC issuer knows: they go into headers of requests. */
export const printableAscii: TextRule = {
  pattern: "^[!-~]([ -~]*[!-~])?$",
  expects: "printable ASCII without a space first or last",
  minLength: 1,
  maxLength: 253,
};

export const identifier: TextRule = {
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  expects: "letters, digits and '_', not starting with a digit",
  minLength: 1,
  maxLength: 63,
};

export const uuid: TextRule = {
  pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  expects: "a UUID in lower case",
  maxLength: 36,
};

export const kubernetesVersion: TextRule = {
  pattern: "^1\\.[0-9]{1,3}(\\.[0-9]{1,3})?$",
  expects: "a Kubernetes version such as 1.36 or 1.36.2",
  maxLength: 12,
};

/** Go's notation for durations, as Kubernetes people write it: `90s`, `1h30m`, `1.5h`. */
export const duration: TextRule = {
  pattern: "^([0-9]{1,9}(\\.[0-9]{1,9})?(ms|s|m|h))+$",
  expects: "a duration such as 30s, 5m or 1h30m",
  minLength: 2,
  maxLength: 32,
};

/** Stricter than git: nothing here can be taken for an option of the git command or for an expression. */
export const gitRef: TextRule = {
  pattern: "^[A-Za-z0-9][-A-Za-z0-9._/+@]*$",
  expects: "a branch, a tag or a commit: letters, digits and . _ / + @ -, with a letter or digit first",
  minLength: 1,
  maxLength: 250,
};

/** The id of a revision: the same content has the same. */
export const commitId: TextRule = {
  pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$",
  expects: "the full hash of a commit",
  maxLength: 64,
};

export const revisionId: TextRule = {
  pattern: "^sha256:[0-9a-f]{64}$",
  expects: "a content hash",
  maxLength: 71,
};

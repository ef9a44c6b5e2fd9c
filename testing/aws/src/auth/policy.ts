/** What is understood of the documents of IAM: as much as policies for clusters use. Anything else is refused, not skipped. */
export interface PolicyDocument {
  readonly Version: string;
  readonly Statement: readonly PolicyStatement[];
}

interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface AccessRequest {
  /** `ec2:CreateVpc`. */
  readonly action: string;
  readonly resource: string;
  /** Values of condition keys, such as `aws:RequestTag/team`. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** One document that allows it is enough, and one that denies it is too much. */
export function isAllowed(documents: readonly PolicyDocument[], request: AccessRequest): boolean {
  const matching = documents
    .flatMap(({ Statement }) => Statement)
    .filter((statement) => applies(statement, request));
  return (
    matching.some(({ Effect }) => Effect === "Allow") && matching.every(({ Effect }) => Effect === "Allow")
  );
}

function applies({ Action, Resource, Condition = {} }: PolicyStatement, request: AccessRequest): boolean {
  return (
    // Actions are the same in any case, resources are not.
    listOf(Action).some((pattern) => isLike(request.action.toLowerCase(), pattern.toLowerCase())) &&
    listOf(Resource).some((pattern) => isLike(request.resource, pattern)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) =>
        holds(operator, request.context[key] ?? [], listOf(wanted)),
      ),
    )
  );
}

type Comparison = (value: string, wanted: string) => boolean;

const comparisons: Readonly<Record<string, Comparison>> = {
  StringEquals: (value, wanted) => value === wanted,
  StringLike: isLike,
  ArnEquals: isLike,
  ArnLike: isLike,
};

function holds(operator: string, values: readonly string[], wanted: readonly string[]): boolean {
  if (operator === "Null") return wanted.every((isNull) => (values.length === 0) === (isNull === "true"));
  const [, forAll, name = ""] = /^(ForAllValues:)?(\w+)$/u.exec(operator) ?? [];
  const compare = comparisons[name];
  if (compare === undefined) throw new TypeError(`This fake of AWS does not know the condition ${operator}.`);
  const matches = (value: string): boolean => wanted.some((each) => compare(value, each));
  // A key that is not there fulfils `ForAllValues` and nothing else.
  return forAll === undefined ? values.some(matches) : values.every(matches);
}

/** `*` is any text and `?` one character. */
function isLike(value: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "su").test(value);
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

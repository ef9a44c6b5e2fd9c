const names: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

/** What a value is, in the words of somebody who writes YAML. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return names[typeof value] ?? "something that JSON cannot hold";
}

export function wrongType(expected: string, value: unknown): string {
  return `must be ${expected}, not ${typeName(value)}`;
}

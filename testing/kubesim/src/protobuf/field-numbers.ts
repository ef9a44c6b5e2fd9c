/**
 * The numbers that stand for fields in protobuf, in one line per type: the names in the order of their numbers, from 1
 * on. A number says where counting goes on after a gap; braces hold a message whose fields belong, in JSON, to the
 * object around it:
 *
 *     Volume: name {hostPath emptyDir 4 secret}
 *     OwnerReference: kind 3 name uid
 *
 * There `kind` is 1, `name` 3 and `uid` 4. Lines that are indented go on with the type above. What type a field is of
 * the tables of `../schema/types` say.
 */
export interface NumberTable {
  /** As in the table of the types, such as `io.k8s.api.core.v1`. */
  readonly prefix: string;
  readonly source: string;
}

/** What stands behind each number: a field, or further fields in a message of their own. */
export type FieldNumbers = ReadonlyMap<number, string | FieldNumbers>;

/** The numbers of each type of a table, by the type's full name. */
export function readNumbers({ prefix, source }: NumberTable): Map<string, FieldNumbers> {
  const lines = source.trim().split(/\n(?=\S)/);
  return new Map(
    lines.map((line) => {
      const [name = "", words = ""] = line.split(":");
      const tokens = words.match(/[{}]|[^\s{}]+/g) ?? [];
      return [`${prefix}.${name}`, numbered(tokens.values())];
    }),
  );
}

function numbered(tokens: IterableIterator<string>): FieldNumbers {
  const fields = new Map<number, string | FieldNumbers>();
  let next = 1;
  // Not a for loop: the message in braces takes its part from the same iterator.
  for (let token = tokens.next(); token.done !== true && token.value !== "}"; token = tokens.next()) {
    if (/^\d+$/.test(token.value)) {
      next = Number(token.value);
      continue;
    }
    fields.set(next, token.value === "{" ? numbered(tokens) : token.value);
    next += 1;
  }
  return fields;
}

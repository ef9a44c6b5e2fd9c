import { parseBearer, type Bearer } from "./bearer.ts";

interface Shown {
  readonly authorization: string;
  readonly bearer: Bearer;
}

/**
 * Reads Authorization headers. A client shows the same with every request on a connection, and to parse and hash it
 * takes longer than all else about a known client; so what a connection showed last is kept with it, and goes with it.
 */
export class ShownBearers {
  readonly #last = new WeakMap<object, Shown>();

  /** `Unauthorized` for what `parseBearer` refuses. */
  read(authorization: string | undefined, connection: object | undefined): Bearer {
    const last = connection === undefined ? undefined : this.#last.get(connection);
    if (last !== undefined && authorization !== undefined && isSame(last.authorization, authorization)) {
      return last.bearer;
    }
    const bearer = parseBearer(authorization);
    if (connection !== undefined && authorization !== undefined) {
      this.#last.set(connection, { authorization, bearer });
    }
    return bearer;
  }
}

/** In a time that does not tell where they differ: through a proxy, strangers may share a connection. */
function isSame(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
